// SPDX-License-Identifier: Apache-2.0
#include "cli/output/batch_output.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/compress/compress.h"
#include "base/file/file.h"
#include "base/status.h"
#include "base/text/text.h"
#include "cli/command/failure.h"
#include "server/ui/formats.h"
#include "server/ui/html_writer.h"

namespace flarestack::cli {
namespace {

enum class Compression { kNone, kGzip, kZstd };

// Chosen by the output's extension, unless the format compresses itself.
Compression CompressionFor(std::string_view path, const codec::Writer& writer) {
  if (writer.compresses_itself)
    return Compression::kNone;
  if (path.ends_with(".gz"))
    return Compression::kGzip;
  if (path.ends_with(".zst"))
    return Compression::kZstd;
  return Compression::kNone;
}

}  // namespace

const codec::Writer* ChooseWriter(const std::string& to, const std::string& out_path) {
  const codec::Writer* writer =
      to.empty() ? server::FindWriterForPath(out_path) : server::FindWriter(to);
  if (writer == &server::kHtmlWriter && !server::CanWriteHtml()) {
    Report({"cannot write html", "this build has no web UI, which HTML output embeds",
            "use another format, such as .svg, or rebuild with Node installed"},
           kUsage);
    return nullptr;
  }
  if (writer != nullptr)
    return writer;
  if (!to.empty()) {
    Report({fmt::format("cannot write the format \"{}\"", to),
            "known formats: " + server::WriterNames(), "flarestack help convert"},
           kUsage);
  } else {
    Report(
        {fmt::format("unknown output format for {}", out_path == base::kStandardStream
                                                         ? "standard output"
                                                         : "\"" + out_path + "\""),
         "the file name has no known extension", "add --to with one of " + server::WriterNames()},
        kUsage);
  }
  return nullptr;
}

int CheckOutput(const std::string& path) {
  if (path == base::kStandardStream)
    return kSuccess;
  struct stat info = {};
  const bool exists = stat(path.c_str(), &info) == 0;
  absl::Status status;
  if (exists && S_ISDIR(info.st_mode)) {
    status = absl::InvalidArgumentError(base::StrCat(path, " is a directory"));
  } else if (exists && !S_ISREG(info.st_mode)) {
    // Do not open it: opening a pipe waits for the reader, and closing it would end the reader's
    // input.
    if (access(path.c_str(), W_OK) != 0)
      status = absl::ErrnoToStatus(errno, base::StrCat("cannot write ", path));
  } else {
    // Creates a temporary file next to the output, and removes it right away.
    status = base::OutputFile::Create(path).status();
  }
  return status.ok() ? static_cast<int>(kSuccess)
                     : Report({"cannot write " + path, std::string(base::Message(status)),
                               "-o with a file in a writable directory"},
                              kFailed);
}

int WriteBatch(const model::Batch& batch, const codec::Writer& writer,
               const codec::WriteOptions& options, const std::string& path) {
  const std::string name = path == base::kStandardStream ? "standard output" : path;
  const auto failed = [&](const absl::Status& status) {
    return Report({"cannot write " + name, std::string(base::Message(status)), ""}, kFailed);
  };
  auto file = base::OutputFile::Create(path);
  if (!file.ok())
    return failed(file.status());
  const Compression compression = CompressionFor(path, writer);
  std::string whole;  // only used if the output is compressed
  absl::Status status = writer.write(batch, options, [&](std::string_view piece) {
    if (compression == Compression::kNone)
      return file->Write(piece);
    whole.append(piece);
    return absl::OkStatus();
  });
  if (status.code() == absl::StatusCode::kNotFound && !options.sample_type.empty()) {
    return Report(
        {"cannot write " + name, std::string(base::Message(status)), "--type with one of these"},
        kNothingFound);
  }
  if (status.ok() && compression == Compression::kGzip)
    status = file->Write(base::Gzip(whole));
  if (status.ok() && compression == Compression::kZstd)
    status = file->Write(base::Zstd(whole));
  if (status.ok())
    status = file->Commit();
  return status.ok() ? static_cast<int>(kSuccess) : failed(status);
}

}  // namespace flarestack::cli
