// SPDX-License-Identifier: Apache-2.0
//
// A folder in $TMPDIR that only this user can enter. The destructor removes it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"

namespace flarestack::cli {

class TemporaryFolder {
 public:
  // `name` is the prefix of the folder's name.
  static absl::StatusOr<TemporaryFolder> Make(std::string_view name);
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::string& path() const { return path_; }

  // Keeps the folder and returns its path.
  std::string Release() { return std::exchange(path_, {}); }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: released
};

}  // namespace flarestack::cli
