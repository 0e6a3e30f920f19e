// SPDX-License-Identifier: Apache-2.0
#include "base/file/file_bytes.h"

#include <sys/stat.h>

#include <utility>

#include "base/file/file.h"
#include "base/status.h"

namespace flarestack::base {
namespace {

constexpr size_t kMappedBytesMin = size_t{1} << 20;  // below this, reading is as fast

// Checks before the file is opened: opening a pipe to inspect it would unblock its writer, and
// closing it again would break the writer.
bool IsWorthMapping(const std::string& path, uint64_t bytes_max) {
  struct stat about = {};
  if (path == kStandardStream || stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode))
    return false;
  const auto size_bytes = static_cast<uint64_t>(about.st_size);
  return size_bytes >= kMappedBytesMin && size_bytes <= bytes_max;
}

}  // namespace

absl::StatusOr<FileBytes> FileBytes::Open(const std::string& path, uint64_t bytes_max) {
  FileBytes file;
  if (IsWorthMapping(path, bytes_max)) {
    auto mapped = MappedFile::Open(path);
    if (mapped.ok() && mapped->bytes().size() <= bytes_max) {
      BusGuard guard(mapped->bytes());
      if (guard.is_on()) {
        file.mapped_ = *std::move(mapped);
        file.guard_ = std::move(guard);
        file.is_mapped_ = true;
        return file;
      }
    }
  }
  // Also the fallback when mapping failed: reading reports the reason.
  FLARE_ASSIGN(file.read_, ReadFile(path, bytes_max));
  return file;
}

}  // namespace flarestack::base
