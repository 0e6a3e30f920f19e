// SPDX-License-Identifier: Apache-2.0
#include "query/traces/links.h"

#include <algorithm>

#include "base/clock.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "query/data/data_source.h"
#include "query/traces/link_targets.h"
#include "query/traces/span_samples.h"

namespace flarestack::query {
namespace {

constexpr size_t kTracesShown = 20;

}  // namespace

absl::StatusOr<Links> LinksOfFunction(const DataSource& source, const std::string& function,
                                      const ProfileScope& scope, const ReadLimits& limits) {
  ProfileScope meant = scope;
  if (meant.type.empty()) {
    FLARE_ASSIGN(meant.type, DefaultType(source, scope.matchers));
  }
  FLARE_ASSIGN(const auto costs, CostByTrace(source, meant, function, limits));
  Links links;
  for (const TraceCost& cost : costs) {
    if (links.links.size() == kTracesShown)
      break;
    links.links.push_back(
        {.to = "trace",
         .what = "trace with samples of this function",
         .count = cost.samples,
         .show = {.path = base::StrCat("/trace/", base::HexEncode(cost.trace_id))}});
  }
  const LinkParameters here =
      Joined(Joined(SelectorParameters(meant.matchers), RangeParameters(meant.range)),
             {{"type", meant.type}});
  links.links.push_back(
      {.to = "profile",
       .what = "callers and callees",
       .count = 1,
       .show = {.path = "/callers", .parameters = Joined(here, {{"fn", function}})}});
  FLARE_RETURN_IF_ERROR(
      AddLogs(source, {.matchers = meant.matchers, .range = meant.range},
              "log records of the same resource in this time range", LinkQuality::kInferred,
              Joined(SelectorParameters(meant.matchers), RangeParameters(meant.range)), &links));
  return links;
}

namespace {

// Links to the traces that samples of this time range refer to. Every sample is read, so long
// ranges are skipped: they have too many traces to show anyway.
absl::Status AddSampledTraces(const DataSource& source, const ProfileScope& scope,
                              const ReadLimits& limits, Links* links) {
  constexpr uint64_t kRangeMax = 10 * base::kNanosPerMinute;
  if (scope.range.to - scope.range.from > kRangeMax)
    return absl::OkStatus();
  ProfileScope meant = scope;
  if (meant.type.empty()) {
    FLARE_ASSIGN(meant.type, DefaultType(source, scope.matchers));
  }
  FLARE_ASSIGN(const auto costs, CostByTrace(source, meant, "", limits));
  for (size_t i = 0; i < std::min(costs.size(), kTracesShown); ++i) {
    links->links.push_back(
        {.to = "trace",
         .what = "trace sampled in this time range",
         .count = costs[i].samples,
         .show = {.path = base::StrCat("/trace/", base::HexEncode(costs[i].trace_id))}});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Links> LinksOfTime(const DataSource& source, const std::string& metric,
                                  const ProfileScope& scope, const ReadLimits& limits) {
  Links links;
  const LinkParameters here =
      Joined(SelectorParameters(scope.matchers), RangeParameters(scope.range));
  if (!metric.empty()) {
    FLARE_ASSIGN(
        const auto traces,
        ExemplarTraces(source, {.name = metric, .matchers = scope.matchers, .range = scope.range},
                       {}));
    for (const auto& [trace_id, count] : traces) {
      if (links.links.size() == kTracesShown)
        break;
      links.links.push_back({.to = "trace",
                             .what = "exemplar trace",
                             .count = count,
                             .show = {.path = base::StrCat("/trace/", base::HexEncode(trace_id))}});
    }
  }
  if (metric.empty())
    FLARE_RETURN_IF_ERROR(AddSampledTraces(source, scope, limits, &links));
  FLARE_RETURN_IF_ERROR(AddProfiles(
      source, scope, limits,
      {.what = "samples in this time range", .quality = LinkQuality::kInferred, .parameters = here},
      &links));
  FLARE_RETURN_IF_ERROR(AddSpansOfTime(source, scope.matchers, scope.range, &links));
  FLARE_RETURN_IF_ERROR(AddLogs(source, {.matchers = scope.matchers, .range = scope.range},
                                "log records in this time range", LinkQuality::kInferred, here,
                                &links));
  FLARE_RETURN_IF_ERROR(AddMetricsOfTime(source, scope.matchers, &links));
  return links;
}

}  // namespace flarestack::query
