// SPDX-License-Identifier: Apache-2.0
//
// Source files below given folders. The machine that built a program had its sources elsewhere, so
// each end of a path is tried below each folder, the longest first:
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
  // For a command that reads with the rights of the user who started it: paths are also tried as
  // they are, and whatever is a file is read. A server reads for others, who choose the paths: it
  // reads source code alone, and nothing outside of its folders or hidden in them.
  bool is_own_user = false;
};

class SourceFolders {
 public:
  explicit SourceFolders(SourceFolderOptions options) : options_(std::move(options)) {}

  // Where the file is on this machine; empty when it is not found.
  std::string Find(std::string_view path) const;

 private:
  const SourceFolderOptions options_;
};

// Whether the name ends as source code does: ".cc", ".py", ".go".
bool IsSourceName(std::string_view path);

}  // namespace flarestack::source
