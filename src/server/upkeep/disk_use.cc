// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/disk_use.h"

#include <string_view>

#include "base/file/directory.h"

namespace flarestack::server {
namespace {

// Excludes uploads, which have their own stores and their own limit.
bool IsOfStores(std::string_view path) {
  return (path.ends_with(".sst") || path.ends_with(".log")) &&
         path.find("/scratch/") == std::string_view::npos &&
         path.find("/symbols/") == std::string_view::npos;
}

}  // namespace

DiskUse MeasureDisk(const std::string& data_dir) {
  DiskUse use;
  base::VisitFiles(data_dir, [&](const base::FileUse& file) {
    use.bytes += file.bytes;
    if (IsOfStores(std::string_view(file.path).substr(data_dir.size())))
      use.store_bytes += file.bytes;
  });
  return use;
}

}  // namespace flarestack::server
