// SPDX-License-Identifier: Apache-2.0
//
// Matches a regular expression against the frames of a table.
#pragma once

#include <vector>

#include "base/text/pattern.h"
#include "query/stacks/frame_table.h"

namespace flarestack::query {

using base::Pattern;

// Which frames of a table match. Evaluates each text once.
class FrameMatcher {
 public:
  FrameMatcher(const FrameTable& table, Pattern pattern);

  // Matches the function's name, the source file or the binary.
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
