// SPDX-License-Identifier: Apache-2.0
//
// Finds source files below given folders. The build machine kept the sources elsewhere, so each
// suffix of a path is tried below each folder, longest first:
//
//   /build/shop/src/cart.cc    FOLDER/build/shop/src/cart.cc, ... FOLDER/src/cart.cc,
//   FOLDER/cart.cc
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::source {

struct SourceFolderOptions {
  std::vector<std::string> folders;
  // True for a command that runs with the rights of the user who started it: it also tries paths as
  // they are, and reads any regular file. A server reads on behalf of others, who choose the paths:
  // it reads only source code, and nothing hidden or outside its folders.
  bool is_own_user = false;
};

class SourceFolders {
 public:
  explicit SourceFolders(SourceFolderOptions options) : options_(std::move(options)) {}

  // Returns the local path of the file, or an empty string if it is not found.
  std::string Find(std::string_view path) const;

 private:
  const SourceFolderOptions options_;
};

// True if the name has an extension of source code: ".cc", ".py", ".go".
bool IsSourceName(std::string_view path);

}  // namespace flarestack::source
