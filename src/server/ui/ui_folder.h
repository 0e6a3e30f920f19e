// SPDX-License-Identifier: Apache-2.0
//
// Built pages from a folder instead of the embedded ones, for UI development.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/ui/ui_assets.h"

namespace flarestack::server {

class UiFolder {
 public:
  // Reads all files of a folder that `npm run build` wrote. Returns kInvalidArgument if index.html
  // is missing or a file has an unknown type.
  static absl::StatusOr<UiFolder> Read(const std::string& folder);

  // Valid as long as this object exists.
  std::span<const UiAsset> assets() const { return assets_; }

 private:
  struct File {
    std::string path;
    std::string etag;
    std::string gzip;
  };
  absl::Status Add(const std::string& file, std::string path);

  std::vector<std::unique_ptr<File>> files_;  // on the heap: assets_ points into them
  std::vector<UiAsset> assets_;
};

}  // namespace flarestack::server
