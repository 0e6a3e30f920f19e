// SPDX-License-Identifier: Apache-2.0
//
// Lines of source files, where they are at hand.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::cli {

class SourceText {
 public:
  // A path of the profile is tried as it is, and then each of its ends below each folder: the
  // machine that built the program had the sources elsewhere.
  explicit SourceText(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  // Counted from 1. Empty when there is no such file or line.
  std::string_view Line(std::string_view path, int64_t line);

  // Where the function that begins at `first` and has something at `last` may end: before a line
  // that is not indented more than its first one, or with it where that closes a bracket. A few
  // lines behind `last` where it cannot be told.
  int64_t EndOfFunction(std::string_view path, int64_t first, int64_t last);

 private:
  static constexpr uint64_t kFileBytesMax = uint64_t{16} << 20;

  const std::vector<std::string>& LinesOf(std::string_view path);

  std::vector<std::string> folders_;
  std::map<std::string, std::vector<std::string>, std::less<>> files_;  // by path in the profile
};

}  // namespace flarestack::cli
