// SPDX-License-Identifier: Apache-2.0
//
// Conditions on attributes, in selector syntax: {service.name="a",host.name=~"web.*"}.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/text/pattern.h"

namespace flarestack::store {

class Matcher {
 public:
  enum class Kind { kEqual, kNotEqual, kMatches, kDoesNotMatch };

  // Returns kInvalidArgument if `kind` requires a regular expression and `value` is not a valid
  // one.
  static absl::StatusOr<Matcher> Make(std::string key, Kind kind, std::string value);

  const std::string& key() const { return key_; }
  Kind kind() const { return kind_; }
  const std::string& value() const { return value_; }

  // A missing attribute counts as empty text. Regular expressions match whole values.
  bool Accepts(std::string_view text) const;

 private:
  std::string key_;
  Kind kind_ = Kind::kEqual;
  std::string value_;
  std::optional<base::Pattern> pattern_;
};

// All matchers must match. "{}" and "" select everything. Keys may be quoted; dots and underscores
// are equivalent. Returns kInvalidArgument with the position of the error.
absl::StatusOr<std::vector<Matcher>> ParseSelector(std::string_view text);

// The selector as text, in canonical spelling.
std::string SelectorText(const std::vector<Matcher>& matchers);

}  // namespace flarestack::store
