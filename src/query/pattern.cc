// SPDX-License-Identifier: Apache-2.0
#include "query/pattern.h"

#include <re2/re2.h>

#include "base/text.h"

namespace flarestack::query {

absl::StatusOr<Pattern> Pattern::Make(std::string_view regex) {
  RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_shared<RE2>(re2::StringPiece(regex.data(), regex.size()), options);
  if (!compiled->ok()) {
    return absl::InvalidArgumentError(
        base::StrCat("\"", regex, "\" is not a regular expression: ", compiled->error()));
  }
  return Pattern(std::move(compiled));
}

bool Pattern::IsIn(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_);
}

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
