// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/frame_matcher.h"

namespace flarestack::query {

FrameMatcher::FrameMatcher(const FrameTable& table, Pattern pattern)
    : table_(table), pattern_(std::move(pattern)), texts_(table.text_count(), Known::kNot) {}

bool FrameMatcher::MatchesText(TextId text) {
  if (!text)
    return false;
  if (text.value >= texts_.size())
    texts_.resize(table_.text_count(), Known::kNot);
  Known& known = texts_[text.value];
  if (known == Known::kNot)
    known = pattern_.IsIn(table_.Text(text)) ? Known::kYes : Known::kNo;
  return known == Known::kYes;
}

}  // namespace flarestack::query
