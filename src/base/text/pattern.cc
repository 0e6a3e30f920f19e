// SPDX-License-Identifier: Apache-2.0
#include "base/text/pattern.h"

#include <re2/re2.h>

#include "base/text/text.h"

namespace flarestack::base {

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

Pattern Pattern::Exactly(std::string_view text) {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);  // names are bytes, not always UTF-8
  const std::string quoted = RE2::QuoteMeta(re2::StringPiece(text.data(), text.size()));
  return Pattern(std::make_shared<RE2>(base::StrCat("\\A", quoted, "\\z"), options));
}

bool Pattern::IsIn(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_);
}

bool Pattern::IsWhole(std::string_view text) const {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *regex_);
}

}  // namespace flarestack::base
