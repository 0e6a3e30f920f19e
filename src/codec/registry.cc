// SPDX-License-Identifier: Apache-2.0
#include "codec/registry.h"

#include "codec/csv/csv_writer.h"
#include "codec/folded/folded.h"
#include "codec/otlp/format.h"
#include "codec/perfscript/perf_script_reader.h"
#include "codec/pprof/format.h"
#include "codec/speedscope/speedscope_writer.h"
#include "codec/svg/svg_writer.h"

namespace flarestack::codec {
namespace {

constexpr const Reader* kReaders[] = {
    &otlp::kOtlpJsonReader, &otlp::kFramedOtlpReader,   &otlp::kOtlpReader,
    &pprof::kPprofReader,   &pprof::kLegacyPprofReader, &perfscript::kPerfScriptReader,
    &folded::kFoldedReader,
};

constexpr const Writer* kWriters[] = {
    &otlp::kOtlpWriter,     &otlp::kOtlpJsonWriter,         &pprof::kPprofWriter,
    &folded::kFoldedWriter, &speedscope::kSpeedscopeWriter, &svg::kSvgWriter,
    &csv::kCsvWriter,
};

const Writer* LongestExtension(std::string_view path) {
  const Writer* found = nullptr;
  size_t length = 0;
  for (const Writer* writer : kWriters) {
    for (const std::string_view extension : writer->extensions) {
      if (path.size() > extension.size() && path.ends_with(extension) &&
          extension.size() > length) {
        found = writer;
        length = extension.size();
      }
    }
  }
  return found;
}

}  // namespace

std::span<const Reader* const> Readers() { return kReaders; }

std::span<const Writer* const> Writers() { return kWriters; }

const Reader* FindReader(std::string_view bytes) {
  for (const Reader* reader : kReaders) {
    if (reader->recognises(bytes))
      return reader;
  }
  return nullptr;
}

const Reader* FindReaderByName(std::string_view name) {
  for (const Reader* reader : kReaders) {
    if (reader->name == name)
      return reader;
  }
  return nullptr;
}

const Writer* FindWriter(std::string_view name) {
  for (const Writer* writer : kWriters) {
    if (writer->name == name)
      return writer;
  }
  return nullptr;
}

const Writer* FindWriterForPath(std::string_view path) {
  if (const Writer* writer = LongestExtension(path); writer != nullptr)
    return writer;
  for (const std::string_view compressed : {std::string_view(".gz"), std::string_view(".zst")}) {
    if (path.ends_with(compressed))
      return LongestExtension(path.substr(0, path.size() - compressed.size()));
  }
  return nullptr;
}

}  // namespace flarestack::codec
