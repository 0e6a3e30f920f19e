// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/tag_range.h"

#include <cmath>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace flarestack::query {

// The unit names of pprof, where kb is 1024 bytes.
std::optional<TagRange::Unit> TagRange::UnitOf(std::string_view name) {
  struct Name {
    std::string_view text;
    Unit unit;
  };
  constexpr double kKib = 1024;
  constexpr double kSecond = 1e9;
  static constexpr Name kNames[] = {
      {"", {}},
      {"b", {Family::kBytes, 1}},
      {"byte", {Family::kBytes, 1}},
      {"kb", {Family::kBytes, kKib}},
      {"kib", {Family::kBytes, kKib}},
      {"kilobyte", {Family::kBytes, kKib}},
      {"mb", {Family::kBytes, kKib * kKib}},
      {"mib", {Family::kBytes, kKib * kKib}},
      {"megabyte", {Family::kBytes, kKib * kKib}},
      {"gb", {Family::kBytes, kKib * kKib * kKib}},
      {"gib", {Family::kBytes, kKib * kKib * kKib}},
      {"gigabyte", {Family::kBytes, kKib * kKib * kKib}},
      {"tb", {Family::kBytes, kKib * kKib * kKib * kKib}},
      {"tib", {Family::kBytes, kKib * kKib * kKib * kKib}},
      {"ns", {Family::kTime, 1}},
      {"nanosecond", {Family::kTime, 1}},
      {"us", {Family::kTime, 1e3}},
      {"\xc2\xb5s", {Family::kTime, 1e3}},
      {"microsecond", {Family::kTime, 1e3}},
      {"ms", {Family::kTime, 1e6}},
      {"millisecond", {Family::kTime, 1e6}},
      {"s", {Family::kTime, kSecond}},
      {"sec", {Family::kTime, kSecond}},
      {"second", {Family::kTime, kSecond}},
      {"min", {Family::kTime, 60 * kSecond}},
      {"minute", {Family::kTime, 60 * kSecond}},
      {"h", {Family::kTime, 3600 * kSecond}},
      {"hr", {Family::kTime, 3600 * kSecond}},
      {"hour", {Family::kTime, 3600 * kSecond}},
  };
  std::string lower = absl::AsciiStrToLower(std::string(name));
  const auto find = [&]() -> std::optional<Unit> {
    for (const Name& known : kNames) {
      if (known.text == lower)
        return known.unit;
    }
    return std::nullopt;
  };
  if (const std::optional<Unit> unit = find(); unit.has_value())
    return unit;
  if (!lower.ends_with('s'))
    return std::nullopt;
  lower.pop_back();  // "bytes"
  return find();
}

std::optional<TagRange::Bound> TagRange::ParseBound(std::string_view text) {
  const size_t digits = text.find_first_not_of("+-.0123456789");
  const std::string_view number = text.substr(0, digits);
  const std::string_view unit = digits == std::string_view::npos ? "" : text.substr(digits);
  double value = 0;
  const std::optional<Unit> known = UnitOf(unit);
  if (!absl::SimpleAtod(std::string(number), &value) || !known.has_value())
    return std::nullopt;
  return Bound{.value = value * known->factor, .family = known->family};
}

std::optional<TagRange> TagRange::Parse(std::string_view text) {
  TagRange range;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    range.from_ = ParseBound(text);
    if (!range.from_.has_value() || range.from_->family == Family::kNone)
      return std::nullopt;  // a bare number is a regular expression that matches anywhere
    range.to_ = range.from_;
    return range;
  }
  const std::string_view from = text.substr(0, colon);
  const std::string_view to = text.substr(colon + 1);
  range.from_ = ParseBound(from);
  range.to_ = ParseBound(to);
  const bool is_range = (from.empty() || range.from_.has_value()) &&
                        (to.empty() || range.to_.has_value()) && !(from.empty() && to.empty());
  return is_range ? std::optional(range) : std::nullopt;
}

std::optional<bool> TagRange::Holds(std::string_view text, std::string_view unit) const {
  double number = 0;
  if (!absl::SimpleAtod(std::string(text), &number) || std::isnan(number))
    return std::nullopt;
  const Unit known = UnitOf(unit).value_or(Unit{});
  const auto compare = [&](const Bound& bound) {
    const bool is_same = known.family == bound.family;
    // A bound without a unit is compared with the raw number.
    return (is_same && bound.family != Family::kNone ? number * known.factor : number) -
           bound.value;
  };
  const auto is_other = [&](const Bound& bound) {
    return known.family != Family::kNone && bound.family != Family::kNone &&
           known.family != bound.family;
  };
  for (const std::optional<Bound>* bound : {&from_, &to_}) {
    if (bound->has_value() && is_other(**bound))
      return false;
  }
  return (!from_.has_value() || compare(*from_) >= 0) && (!to_.has_value() || compare(*to_) <= 0);
}

}  // namespace flarestack::query
