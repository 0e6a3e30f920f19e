// SPDX-License-Identifier: Apache-2.0
#include "elf/htl_hash.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "absl/status/status.h"
#include "base/byte_reader.h"
#include "base/check.h"
#include "base/status.h"
#include "base/text/encoding.h"

namespace flarestack::elf {
namespace {

constexpr uint64_t kEndBytes = 4096;
constexpr size_t kHashBytes = 16;

std::string HashOf(std::string_view head, std::string_view tail, uint64_t file_bytes) {
  std::string hashed(head);
  hashed += tail;
  base::AppendBigEndian(file_bytes, &hashed);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned digest_bytes = 0;
  FLARE_CHECK(EVP_Digest(hashed.data(), hashed.size(), digest.data(), &digest_bytes, EVP_sha256(),
                         nullptr) == 1);
  return base::HexEncode({reinterpret_cast<const char*>(digest.data()), kHashBytes});
}

absl::StatusOr<std::string> ReadAt(int fd, uint64_t offset, uint64_t count) {
  std::string bytes(count, '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return absl::ErrnoToStatus(errno, "cannot read");
    if (got == 0)
      return absl::AbortedError("the file became shorter while it was read");
    done += static_cast<size_t>(got);
  }
  return bytes;
}

}  // namespace

std::string HtlHash(std::string_view file_bytes) {
  const size_t end_bytes = std::min<size_t>(kEndBytes, file_bytes.size());
  return HashOf(file_bytes.substr(0, end_bytes), file_bytes.substr(file_bytes.size() - end_bytes),
                file_bytes.size());
}

absl::StatusOr<std::string> HtlHashOfDescriptor(int fd) {
  struct stat status = {};
  if (fstat(fd, &status) != 0)
    return absl::ErrnoToStatus(errno, "cannot stat");
  if (!S_ISREG(status.st_mode))
    return absl::InvalidArgumentError("not a regular file");
  const auto file_bytes = static_cast<uint64_t>(status.st_size);
  const uint64_t end_bytes = std::min(kEndBytes, file_bytes);
  FLARE_ASSIGN(const std::string head, ReadAt(fd, 0, end_bytes));
  FLARE_ASSIGN(const std::string tail, ReadAt(fd, file_bytes - end_bytes, end_bytes));
  return HashOf(head, tail, file_bytes);
}

absl::StatusOr<std::string> HtlHashOfFile(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for its other end.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return absl::ErrnoToStatus(errno, path);
  auto hash = HtlHashOfDescriptor(fd);
  close(fd);
  if (!hash.ok())
    return base::WithContext(path, hash.status());
  return hash;
}

}  // namespace flarestack::elf
