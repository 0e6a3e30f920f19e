// SPDX-License-Identifier: Apache-2.0
//
// A range of numbers with units, as in pprof's tagfocus: "4kb:64kb", "10ms:", ":100", or one number
// with a unit, "4kb".
#pragma once

#include <optional>
#include <string_view>

namespace flarestack::query {

class TagRange {
 public:
  // Returns nullopt if the text is not such a range, and so is a regular expression.
  static std::optional<TagRange> Parse(std::string_view text);

  // `text` is an attribute's value and `unit` its unit. If the unit is empty, the value is in bytes
  // or nanoseconds, like the range. Returns nullopt if the value is not a number.
  std::optional<bool> Holds(std::string_view text, std::string_view unit) const;

 private:
  enum class Family { kNone, kBytes, kTime };
  struct Unit {
    Family family = Family::kNone;
    double factor = 1;  // to bytes or nanoseconds
  };

  static std::optional<Unit> UnitOf(std::string_view name);
  struct Bound {
    double value = 0;  // in bytes, nanoseconds, or raw
    Family family = Family::kNone;
  };
  static std::optional<Bound> ParseBound(std::string_view text);

  std::optional<Bound> from_;
  std::optional<Bound> to_;
};

}  // namespace flarestack::query
