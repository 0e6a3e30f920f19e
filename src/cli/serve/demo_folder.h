// SPDX-License-Identifier: Apache-2.0
//
// The data folder of the demo: a temporary folder that the destructor removes, or one that is kept.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace flarestack::cli {

class DemoFolder {
 public:
  // An empty `path` selects a temporary name. Returns kFailedPrecondition if the folder is not
  // empty.
  static absl::StatusOr<std::unique_ptr<DemoFolder>> Create(bool stays, const std::string& path);
  ~DemoFolder();
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  DemoFolder(bool stays, std::string path) : stays_(stays), path_(std::move(path)) {}

  bool stays_;
  std::string path_;
};

}  // namespace flarestack::cli
