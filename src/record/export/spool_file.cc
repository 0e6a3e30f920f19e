// SPDX-License-Identifier: Apache-2.0
#include "record/export/spool_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "base/byte_reader.h"
#include "base/file/directory.h"
#include "base/file/file.h"
#include "base/file/write_all.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::record::exporting {
namespace {

constexpr std::string_view kMagic = "FLRSPL01";
constexpr std::string_view kExtension = ".otlp";
constexpr std::string_view kTemporaryExtension = ".otlp.tmp";
constexpr size_t kDigits = 20;  // of the largest u64

std::string PathOf(const std::string& directory, uint64_t sequence) {
  return base::StrCat(directory, "/", SpoolFileName(sequence));
}

std::string HeadOf(std::string_view request) {
  const base::Hash128 hash = base::HashContent(request);
  std::string head(kMagic);
  base::AppendBigEndian(uint64_t{request.size()}, &head);
  base::AppendBigEndian(hash.high, &head);
  base::AppendBigEndian(hash.low, &head);
  return head;
}

}  // namespace

std::string EncodeSpoolFile(std::string_view request) {
  std::string file = HeadOf(request);
  file += request;
  return file;
}

absl::StatusOr<std::string_view> DecodeSpoolFile(std::string_view file) {
  base::ByteReader in(file);
  if (in.Take(kMagic.size()) != kMagic)
    return absl::InvalidArgumentError("it does not begin with the header of a spooled request");
  const auto length = in.BigEndian<uint64_t>();
  base::Hash128 hash;
  hash.high = in.BigEndian<uint64_t>();
  hash.low = in.BigEndian<uint64_t>();
  if (!in.ok() || in.rest().size() != length) {
    return absl::InvalidArgumentError(
        base::StrCat("it has ", in.rest().size(), " bytes, expected ", length));
  }
  if (base::HashContent(in.rest()) != hash)
    return absl::InvalidArgumentError("its hash does not match");
  return in.rest();
}

std::string SpoolFileName(uint64_t sequence) {
  return fmt::format("{:020}{}", sequence, kExtension);
}

std::optional<uint64_t> ParseSpoolFileName(std::string_view name) {
  uint64_t sequence = 0;
  if (name.size() != kDigits + kExtension.size() || !name.ends_with(kExtension))
    return std::nullopt;
  const char* const end = name.data() + kDigits;
  const auto [rest, error] = std::from_chars(name.data(), end, sequence);
  // The upper half is reserved, so that the following sequence numbers cannot overflow.
  if (error != std::errc() || rest != end || sequence > UINT64_MAX / 2)
    return std::nullopt;
  return sequence;
}

bool IsTemporarySpoolFileName(std::string_view name) {
  return name.size() == kDigits + kTemporaryExtension.size() &&
         name.ends_with(kTemporaryExtension) &&
         std::all_of(name.begin(), name.begin() + kDigits,
                     [](char c) { return c >= '0' && c <= '9'; });
}

absl::Status WriteSpoolFile(const std::string& directory, uint64_t sequence,
                            std::string_view request) {
  const std::string path = PathOf(directory, sequence);
  const std::string temporary = path + ".tmp";
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot write ", temporary));
  absl::Status status = base::WriteAll(fd, HeadOf(request));
  if (status.ok())
    status = base::WriteAll(fd, request);
  if (status.ok() && fsync(fd) != 0)
    status = absl::ErrnoToStatus(errno, "fsync");
  if (close(fd) != 0 && status.ok())
    status = absl::ErrnoToStatus(errno, "close");
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0)
    status = absl::ErrnoToStatus(errno, "rename");
  if (!status.ok())
    unlink(temporary.c_str());
  else
    status = base::SyncDirectoryOf(path);
  return base::WithContext(base::StrCat("cannot write ", path), status);
}

absl::StatusOr<std::string> ReadSpoolFile(const std::string& directory, uint64_t sequence,
                                          uint64_t request_bytes_max) {
  const std::string path = PathOf(directory, sequence);
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(path, error);
  if (!error && bytes > request_bytes_max + kSpoolHeadBytes)
    return absl::InvalidArgumentError(
        base::StrCat(path, " has ", bytes, " bytes, more than a request may have"));
  FLARE_ASSIGN(std::string file, base::ReadFile(path, request_bytes_max + kSpoolHeadBytes));
  const auto request = DecodeSpoolFile(file);
  if (!request.ok())
    return base::WithContext(path, request.status());
  file.erase(0, kSpoolHeadBytes);
  return file;
}

void RemoveSpoolFile(const std::string& directory, uint64_t sequence) {
  unlink(PathOf(directory, sequence).c_str());
}

}  // namespace flarestack::record::exporting
