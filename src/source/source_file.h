// SPDX-License-Identifier: Apache-2.0
//
// The lines of one source file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::source {

class SourceFile {
 public:
  // `origin` says where the text comes from: a path, or the URL of a server.
  SourceFile(std::string text, std::string origin)
      : text_(std::move(text)), origin_(std::move(origin)) {
    std::string_view rest = text_;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      if (line.ends_with('\r'))
        line.remove_suffix(1);
      lines_.push_back(line);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  SourceFile(const SourceFile&) = delete;  // lines_ points into text_
  SourceFile& operator=(const SourceFile&) = delete;

  // Line numbers start at 1. Returns an empty view if there is no such line.
  std::string_view Line(int64_t number) const {
    return number >= 1 && number <= line_count() ? lines_[static_cast<size_t>(number) - 1]
                                                 : std::string_view();
  }
  int64_t line_count() const { return static_cast<int64_t>(lines_.size()); }
  const std::string& origin() const { return origin_; }
  size_t bytes() const { return text_.size() + lines_.size() * sizeof(std::string_view); }

 private:
  const std::string text_;
  const std::string origin_;
  std::vector<std::string_view> lines_;
};

}  // namespace flarestack::source
