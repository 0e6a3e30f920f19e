// SPDX-License-Identifier: Apache-2.0
//
// Converts every file of a folder back and forth, and reports losses:
//
//   file -> model -> OTLP -> model -> pprof -> model
//
// The three models must be equal (model/dump/dump.h). Exits with 1 if anything was lost, or if a
// file of a known format could not be read.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/compress/compress.h"
#include "base/file/file.h"
#include "base/status.h"
#include "base/text/text.h"
#include "codec/input_collector.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/registry.h"
#include "model/dump/dump.h"

namespace flarestack {
namespace {

constexpr uint64_t kBytesMax = uint64_t{1} << 30;
constexpr int kReadCount = 5;

struct Row {
  std::string file;
  std::string format;
  std::string layout;  // of OTLP
  size_t bytes = 0;    // after decompression
  double mb_per_s = 0;
  size_t samples = 0;
  std::string kept;
  bool is_failure = false;
};

// A batch and the collector whose bytes it points into.
struct Loaded {
  base::Warnings warnings;
  codec::InputCollector collector{{.bytes_max = kBytesMax}, &warnings};
  const model::Batch* batch = nullptr;

  absl::Status Load(std::string bytes) {
    FLARE_RETURN_IF_ERROR(collector.Add(std::move(bytes)).status());
    FLARE_ASSIGN(batch, collector.Finish());
    return absl::OkStatus();
  }
};

absl::StatusOr<std::string> Decompressed(std::string bytes) {
  if (base::LooksLikeGzip(bytes))
    return base::Gunzip(bytes, kBytesMax);
  if (base::LooksLikeZstd(bytes))
    return base::Unzstd(bytes, kBytesMax);
  return bytes;
}

// For framed messages, of the first one.
std::string LayoutOf(std::string_view format, std::string_view bytes) {
  if (format == "otlp-framed") {
    constexpr size_t kHeaderBytes = 4;
    size_t length = 0;
    for (size_t i = 0; i < kHeaderBytes; ++i)
      length = length << 8 | static_cast<uint8_t>(bytes[i]);
    bytes = bytes.substr(kHeaderBytes, length);
  } else if (format != "otlp") {
    return "";
  }
  model::Batch batch;
  const auto layout = codec::otlp::DecodeProtobuf(bytes, {}, &batch);
  return layout.ok() ? std::string(codec::otlp::LayoutName(*layout)) : "unknown";
}

std::string_view LineAt(std::string_view text, size_t position) {
  const size_t begin = position == 0 ? 0 : text.rfind('\n', position - 1) + 1;
  return text.substr(begin, text.find('\n', position) - begin);
}

// Returns the first line that differs, or an empty text if the two are equal.
std::string Difference(std::string_view before, std::string_view after) {
  const auto [a, b] = std::ranges::mismatch(before, after);
  if (a == before.end() && b == after.end())
    return "";
  const auto position = static_cast<size_t>(a - before.begin());
  const auto line = std::count(before.begin(), a, '\n') + 1;
  return base::StrCat("line ", line, ": \"", LineAt(before, position), "\" became \"",
                      LineAt(after, position), "\"");
}

// Writes the batch and reads it into `copy`. Returns the difference; empty if there is none.
std::string Through(std::string_view format, const model::Batch& batch, Loaded* copy) {
  std::string bytes;
  base::Warnings warnings;
  absl::Status status =
      codec::FindWriter(format)->write(batch, {.warnings = &warnings}, [&](std::string_view piece) {
        bytes.append(piece);
        return absl::OkStatus();
      });
  if (status.ok())
    status = copy->Load(std::move(bytes));
  if (!status.ok())
    return base::StrCat("through ", format, ": ", base::Message(status));
  const std::string difference = Difference(model::Dump(batch), model::Dump(*copy->batch));
  return difference.empty() ? "" : base::StrCat("through ", format, ": ", difference);
}

std::string WhatIsLost(const model::Batch& batch) {
  Loaded otlp;
  if (std::string lost = Through("otlp", batch, &otlp); !lost.empty())
    return lost;
  Loaded pprof;
  return Through("pprof", *otlp.batch, &pprof);
}

// Reads the file a few times, for the best speed. Sets no numbers for a file that is not a profile.
void Examine(std::string bytes, Row* row) {
  const codec::Reader* reader = codec::FindReader(bytes);
  if (reader == nullptr) {
    row->kept = "not a profile";
    return;
  }
  row->format = reader->name;
  row->bytes = bytes.size();
  row->layout = LayoutOf(reader->name, bytes);
  for (int i = 0; i < kReadCount; ++i) {
    Loaded loaded;
    std::string copy = bytes;
    const auto start = std::chrono::steady_clock::now();
    const absl::Status status = loaded.Load(std::move(copy));
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!status.ok()) {
      row->kept = base::StrCat("cannot read: ", base::Message(status));
      row->is_failure = true;
      return;
    }
    row->samples = loaded.batch->samples.size();
    row->mb_per_s =
        std::max(row->mb_per_s, static_cast<double>(bytes.size()) / 1e6 / elapsed.count());
    if (i + 1 == kReadCount) {
      const std::string lost = WhatIsLost(*loaded.batch);
      row->is_failure = !lost.empty();
      row->kept = lost.empty() ? "all" : lost;
    }
  }
}

Row Examine(const std::string& path) {
  Row row = {.file = std::filesystem::path(path).filename().string()};
  auto bytes = base::ReadFile(path, kBytesMax);
  if (bytes.ok())
    bytes = Decompressed(*std::move(bytes));
  if (bytes.ok()) {
    Examine(*std::move(bytes), &row);
  } else {
    row.kept = base::StrCat("cannot read: ", base::Message(bytes.status()));
    row.is_failure = true;
  }
  return row;
}

std::vector<std::string> FilesBelow(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

int Main(const std::string& folder) {
  const std::vector<std::string> paths = FilesBelow(folder);
  size_t width = 4;
  for (const std::string& path : paths)
    width = std::max(width, std::filesystem::path(path).filename().string().size());
  fmt::print("{:<{}}  {:<13} {:<14} {:>11} {:>8} {:>9}  kept\n", "file", width, "format", "layout",
             "bytes", "MB/s", "samples");
  size_t failure_count = 0;
  for (const std::string& path : paths) {
    const Row row = Examine(path);
    failure_count += row.is_failure ? 1 : 0;
    fmt::print("{:<{}}  {:<13} {:<14} {:>11} {:>8.0f} {:>9}  {}\n", row.file, width, row.format,
               row.layout, row.bytes, row.mb_per_s, row.samples, row.kept);
  }
  fmt::print("{} files, {} with losses\n", paths.size(), failure_count);
  return failure_count == 0 ? 0 : 1;
}

}  // namespace
}  // namespace flarestack

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    fmt::print(stderr, "usage: corpus FOLDER\n");
    return 2;
  }
  return flarestack::Main(argv[1]);
}
