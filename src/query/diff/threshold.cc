// SPDX-License-Identifier: Apache-2.0
#include "query/diff/threshold.h"

#include <fmt/format.h>

#include <charconv>

#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::query {
namespace {

absl::Status Malformed(std::string_view text) {
  return absl::InvalidArgumentError(
      base::StrCat("\"", text, "\" is not a limit; use total>+5% or fn:REGEX>+10%"));
}

}  // namespace

absl::StatusOr<Threshold> Threshold::Parse(std::string_view text) {
  // The last one, because a regular expression may contain others.
  const size_t sign = text.find_last_of("<>");
  if (sign == std::string_view::npos || !text.ends_with('%'))
    return Malformed(text);
  Threshold threshold;
  threshold.is_growth_ = text[sign] == '>';
  const std::string_view subject = text.substr(0, sign);
  std::string_view number = text.substr(sign + 1, text.size() - sign - 2);
  const char wanted_sign = threshold.is_growth_ ? '+' : '-';
  if (number.starts_with(wanted_sign))
    number.remove_prefix(1);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), threshold.percent_);
  if (error != std::errc() || end != number.data() + number.size() || !(threshold.percent_ >= 0))
    return Malformed(text);
  if (subject == "total")
    return threshold;
  constexpr std::string_view kFunction = "fn:";
  if (!subject.starts_with(kFunction) || subject.size() == kFunction.size())
    return Malformed(text);
  FLARE_ASSIGN(threshold.function_, Pattern::Make(subject.substr(kFunction.size())));
  return threshold;
}

bool Threshold::IsExceeded(std::optional<double> ratio, double delta) const {
  if (!ratio.has_value())
    return is_growth_ && delta > 0;
  const double change = (*ratio - 1) * 100;
  return is_growth_ ? change > percent_ : change < -percent_;
}

std::string Threshold::Sentence(std::string_view what, std::optional<double> ratio) const {
  const char sign = is_growth_ ? '+' : '-';
  if (!ratio.has_value())
    return fmt::format("{} is new; the limit is {}{} %", what, sign, percent_);
  return fmt::format("{} {:+.1f} % exceeds {}{} %", what, (*ratio - 1) * 100, sign, percent_);
}

std::vector<std::string> Threshold::Exceeded(const Diff& diff) const {
  std::vector<std::string> sentences;
  if (!function_.has_value()) {
    // By share, both totals are equal by definition, so compare the measured totals.
    const auto before = static_cast<double>(diff.before.total);
    const auto after = static_cast<double>(diff.after.total);
    const bool is_share = diff.norm == DiffNorm::kShare && before != 0;
    const std::optional<double> ratio = is_share ? after / before : diff.total_ratio;
    if (IsExceeded(ratio, is_share ? after - before : diff.total_delta))
      sentences.push_back(Sentence("total", ratio));
    return sentences;
  }
  for (const DiffRow& row : diff.rows) {
    if (!function_->IsIn(row.function) || !IsExceeded(row.ratio, row.delta))
      continue;
    sentences.push_back(Sentence(row.function, row.ratio) +
                        (row.is_significant ? "" : ", which may be noise"));
  }
  return sentences;
}

}  // namespace flarestack::query
