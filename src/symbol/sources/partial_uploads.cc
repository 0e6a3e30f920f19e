// SPDX-License-Identifier: Apache-2.0
#include "symbol/sources/partial_uploads.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/status.h"
#include "base/text/encoding.h"
#include "net/auth/credential_hash.h"

namespace flarestack::symbol {
namespace {

namespace fs = std::filesystem;

constexpr size_t kIdDigits = 32;

absl::Status WriteAt(const std::string& path, uint64_t offset, std::string_view bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0)
    return absl::ErrnoToStatus(errno, "cannot store the upload");
  absl::Status status;
  while (!bytes.empty() && status.ok()) {
    const ssize_t put = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno != EINTR) {
      status = absl::ErrnoToStatus(errno, "cannot store the upload");
    } else if (put > 0) {
      bytes.remove_prefix(static_cast<size_t>(put));
      offset += static_cast<uint64_t>(put);
    }
  }
  if (close(fd) != 0 && status.ok())
    status = absl::ErrnoToStatus(errno, "cannot store the upload");
  return status;
}

}  // namespace

PartialUploads::PartialUploads(Options options) : options_(std::move(options)) {
  std::error_code error;
  fs::remove_all(options_.directory, error);
  fs::create_directories(options_.directory, error);
}

std::string PartialUploads::PathOf(const std::string& id) const {
  return base::StrCat(options_.directory, "/", id);
}

void PartialUploads::DropIdle() {
  const TimePoint now = options_.now();
  for (auto at = partials_.begin(); at != partials_.end();) {
    if (at->second.is_busy || now - at->second.used < options_.limits.idle_max) {
      ++at;
      continue;
    }
    std::error_code ignored;
    fs::remove(PathOf(at->first), ignored);
    at = partials_.erase(at);
  }
}

absl::StatusOr<std::string> PartialUploads::Begin(const NewUpload& upload, uint64_t bytes_max) {
  std::string id = base::HexEncode(net::Sha256(base::StrCat(upload.key, " ", upload.total_bytes,
                                                            " ", upload.sha256)))
                       .substr(0, kIdDigits);
  const base::MutexLock lock(mutex_);
  if (partials_.contains(id))
    return id;
  DropIdle();
  if (partials_.size() >= options_.limits.count_max) {
    return absl::ResourceExhaustedError(
        base::StrCat(partials_.size(), " uploads are in progress, which is the limit"));
  }
  uint64_t reserved_bytes = 0;
  for (const auto& [other, partial] : partials_)
    reserved_bytes += partial.upload.total_bytes;
  if (reserved_bytes > bytes_max || upload.total_bytes > bytes_max - reserved_bytes) {
    return absl::ResourceExhaustedError(
        base::StrCat("no room for ", upload.total_bytes, " bytes: ", bytes_max,
                     " are left, of which uploads in progress reserve ", reserved_bytes));
  }
  partials_.emplace(id, Partial{.upload = upload, .used = options_.now()});
  return id;
}

absl::StatusOr<uint64_t> PartialUploads::Received(const std::string& id) const {
  const base::MutexLock lock(mutex_);
  const auto at = partials_.find(id);
  if (at == partials_.end())
    return absl::NotFoundError(base::StrCat("no upload ", id));
  return at->second.received_bytes;
}

absl::StatusOr<PartialUploads::Partial*> PartialUploads::FindIdle(const std::string& id) {
  const auto at = partials_.find(id);
  if (at == partials_.end())
    return absl::NotFoundError(base::StrCat("no upload ", id));
  if (at->second.is_busy)
    return absl::AbortedError(base::StrCat("upload ", id, " is in use by another request"));
  return &at->second;
}

absl::StatusOr<uint64_t> PartialUploads::Append(const std::string& id, uint64_t offset,
                                                std::string_view bytes) {
  Partial* partial = nullptr;
  {
    const base::MutexLock lock(mutex_);
    FLARE_ASSIGN(partial, FindIdle(id));
    if (offset != partial->received_bytes) {
      return absl::OutOfRangeError(base::StrCat("the piece begins at ", offset, ", and ",
                                                partial->received_bytes, " bytes are here"));
    }
    if (bytes.size() > partial->upload.total_bytes - offset) {
      return absl::ResourceExhaustedError(base::StrCat(
          "more than the ", partial->upload.total_bytes, " bytes that were announced"));
    }
    partial->is_busy = true;
  }
  const absl::Status written = WriteAt(PathOf(id), offset, bytes);
  const base::MutexLock lock(mutex_);
  partial->is_busy = false;
  partial->used = options_.now();
  FLARE_RETURN_IF_ERROR(written);
  partial->received_bytes += bytes.size();
  return partial->received_bytes;
}

absl::StatusOr<PartialUploads::Complete> PartialUploads::Take(const std::string& id) {
  const base::MutexLock lock(mutex_);
  FLARE_ASSIGN(Partial * partial, FindIdle(id));
  if (partial->received_bytes != partial->upload.total_bytes) {
    return absl::FailedPreconditionError(base::StrCat(
        partial->received_bytes, " of ", partial->upload.total_bytes, " bytes are here"));
  }
  partial->is_busy = true;
  return Complete{.upload = partial->upload, .path = PathOf(id)};
}

absl::Status PartialUploads::Abandon(const std::string& id) {
  const base::MutexLock lock(mutex_);
  FLARE_RETURN_IF_ERROR(FindIdle(id).status());
  std::error_code ignored;
  fs::remove(PathOf(id), ignored);
  partials_.erase(id);
  return absl::OkStatus();
}

void PartialUploads::Drop(const std::string& id) {
  const base::MutexLock lock(mutex_);
  std::error_code ignored;
  if (partials_.erase(id) > 0)
    fs::remove(PathOf(id), ignored);
}

}  // namespace flarestack::symbol
