// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions of users, in linear time whatever they write. Only this wrapper sees RE2.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "query/frame_table.h"

namespace re2 {
class RE2;
}

namespace flarestack::query {

class Pattern {
 public:
  // kInvalidArgument says what is wrong.
  static absl::StatusOr<Pattern> Make(std::string_view regex);

  // Anywhere in it, unless the pattern has anchors.
  bool IsIn(std::string_view text) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> regex) : regex_(std::move(regex)) {}
  std::shared_ptr<const re2::RE2> regex_;
};

// Which frames of a table match, each text looked at once.
class FrameMatcher {
 public:
  FrameMatcher(const FrameTable& table, Pattern pattern);

  // In the function's name, the source file or the binary.
  bool Matches(FrameId frame) {
    const Frame& at = table_.At(frame);
    return MatchesText(at.function) || MatchesText(at.file) || MatchesText(at.module);
  }
  bool MatchesText(TextId text);

 private:
  enum class Known : char { kNot, kNo, kYes };

  const FrameTable& table_;
  Pattern pattern_;
  std::vector<Known> texts_;
};

}  // namespace flarestack::query
