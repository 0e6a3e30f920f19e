// SPDX-License-Identifier: Apache-2.0
//
// Where the demo keeps its data: a temporary folder that goes with this object, or one that stays.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace flarestack::cli {

class DemoFolder {
 public:
  // `path` may be empty for a temporary name. kFailedPrecondition for one that has something in it.
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
