// SPDX-License-Identifier: Apache-2.0
#include "query/diff/diff_norm.h"

#include "base/saturating.h"
#include "base/text/text.h"
#include "model/gauge_type.h"

namespace flarestack::query {

DiffSide SideOf(const StackSet& set) {
  DiffSide side = {.total = set.Total(),
                   .duration_nanos = set.duration_nanos,
                   .instance_count = static_cast<uint32_t>(set.instances.size())};
  for (const StackRow& row : set.rows)
    side.events = base::SaturatingAdd(side.events, row.events);
  return side;
}

DiffNorm NormFor(std::string_view sample_type, DiffNorm wanted) {
  return wanted == DiffNorm::kRate && model::IsGaugeType(sample_type) ? DiffNorm::kNone : wanted;
}

absl::StatusOr<Exposure> ExposureOf(const DiffSide& before, const DiffSide& after,
                                    const DiffOptions& options) {
  const auto both = [](double a, double b, std::string_view what) -> absl::StatusOr<Exposure> {
    if (a > 0 && b > 0)
      return Exposure{.before = a, .after = b};
    return absl::InvalidArgumentError(
        base::StrCat(a > 0 ? "the second" : "the first", " profile ", what));
  };
  switch (options.norm) {
    case DiffNorm::kShare:
      return both(static_cast<double>(before.total), static_cast<double>(after.total),
                  "has no positive total to normalize by");
    case DiffNorm::kRate:
      return both(static_cast<double>(before.duration_nanos),
                  static_cast<double>(after.duration_nanos), "has no duration");
    case DiffNorm::kRequest:
      return both(options.requests_before, options.requests_after, "has no request count");
    case DiffNorm::kNone:
      return Exposure{};
  }
  return Exposure{};
}

}  // namespace flarestack::query
