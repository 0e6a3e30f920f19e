// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions from users, matched in linear time for any expression. Only this wrapper
// includes RE2.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace re2 {
class RE2;
}

namespace flarestack::base {

class Pattern {
 public:
  // The kInvalidArgument message says what is wrong.
  static absl::StatusOr<Pattern> Make(std::string_view regex);

  // Matches exactly this text.
  static Pattern Exactly(std::string_view text);

  // True if the pattern matches anywhere in `text`; anchors apply.
  bool IsIn(std::string_view text) const;

  // True if the pattern matches all of `text`.
  bool IsWhole(std::string_view text) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> regex) : regex_(std::move(regex)) {}
  std::shared_ptr<const re2::RE2> regex_;
};

}  // namespace flarestack::base
