// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions of users, in linear time whatever they write. Only this wrapper sees RE2.
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
  // kInvalidArgument says what is wrong.
  static absl::StatusOr<Pattern> Make(std::string_view regex);

  // Matches this text and no other.
  static Pattern Exactly(std::string_view text);

  // Anywhere in it, unless the pattern has anchors.
  bool IsIn(std::string_view text) const;

  // From its begin to its end.
  bool IsWhole(std::string_view text) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> regex) : regex_(std::move(regex)) {}
  std::shared_ptr<const re2::RE2> regex_;
};

}  // namespace flarestack::base
