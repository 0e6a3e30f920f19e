// SPDX-License-Identifier: Apache-2.0
//
// Built pages in a folder, in the place of the embedded ones: for people who change them.
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
  // Reads all files of a folder as `npm run build` leaves it. kInvalidArgument when there is no
  // index.html, or a file that no browser would know what to do with.
  static absl::StatusOr<UiFolder> Read(const std::string& folder);

  // Valid as long as the object.
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
