// SPDX-License-Identifier: Apache-2.0
//
// Conditions on attributes, as a selector writes them: {service.name="a",host.name=~"web.*"}.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/pattern.h"

namespace flarestack::store {

class Matcher {
 public:
  enum class Kind { kEqual, kNotEqual, kMatches, kDoesNotMatch };

  // kInvalidArgument when the value must be a regular expression and is none.
  static absl::StatusOr<Matcher> Make(std::string key, Kind kind, std::string value);

  const std::string& key() const { return key_; }
  Kind kind() const { return kind_; }
  const std::string& value() const { return value_; }

  // An attribute that is not there has the empty text. Regular expressions match whole values.
  bool Accepts(std::string_view text) const;

 private:
  std::string key_;
  Kind kind_ = Kind::kEqual;
  std::string value_;
  std::optional<base::Pattern> pattern_;
};

// All of them must hold. "{}" and "" select everything; keys may be quoted, dots and underscores
// are alike. kInvalidArgument says where it went wrong.
absl::StatusOr<std::vector<Matcher>> ParseSelector(std::string_view text);

// The same as text again, in one spelling.
std::string SelectorText(const std::vector<Matcher>& matchers);

}  // namespace flarestack::store
