// SPDX-License-Identifier: Apache-2.0
#include "query/diff/deployments.h"

#include <algorithm>

#include "base/clock.h"
#include "base/status.h"
#include "query/data/data_source.h"
#include "query/scope/time_series.h"

namespace flarestack::query {
namespace {

constexpr char kVersionKey[] = "service.version";
constexpr uint64_t kStepsWanted = 240;
constexpr size_t kVersionsMax = 100;
constexpr size_t kSpansMax = 100'000;

absl::StatusOr<store::Matcher> IsVersion(const std::string& version) {
  return store::Matcher::Make(kVersionKey, store::Matcher::Kind::kEqual, version);
}

// Counts the requests that the servers of a version handled.
absl::StatusOr<uint64_t> CountRequests(const DataSource& source, const ProfileScope& scope) {
  store::SpanQuery query;
  query.matchers = scope.matchers;
  query.range = scope.range;
  query.limit = kSpansMax;
  FLARE_ASSIGN(const store::SelectedSpans batch, source.SelectSpans(query));
  // An incomplete count says nothing about the cost per request.
  if (!batch.next.empty())
    return 0;
  return static_cast<uint64_t>(
      std::ranges::count(batch.spans, model::SpanKind::kServer, &model::Span::kind));
}

absl::StatusOr<const Deployment*> Pick(const Deployments& found, const std::string& wanted,
                                       size_t from_the_end) {
  if (wanted.empty()) {
    if (found.versions.size() < 2) {
      return absl::NotFoundError(base::StrCat("there ", found.versions.size() == 1 ? "is" : "are",
                                              " ", found.versions.size(),
                                              " version of this service in this time range"));
    }
    return &found.versions[found.versions.size() - from_the_end];
  }
  const auto at = std::ranges::find(found.versions, wanted, &Deployment::version);
  if (at == found.versions.end())
    return absl::NotFoundError(base::StrCat("no version ", wanted, " in this time"));
  return &*at;
}

}  // namespace

absl::StatusOr<Deployments> FindDeployments(const DataSource& source, const ProfileScope& scope,
                                            const ReadLimits& limits) {
  ProfileScope aligned = scope;
  Deployments found;
  // Whole minutes, because roll-ups exist for those.
  found.step_nanos =
      ((scope.range.to - scope.range.from) / kStepsWanted / base::kNanosPerMinute + 1) *
      base::kNanosPerMinute;
  aligned.range.from -= aligned.range.from % found.step_nanos;
  FLARE_ASSIGN(const TimeSeries series,
               ReadTimeSeries(
                   source, aligned,
                   {.step_nanos = found.step_nanos, .by = {kVersionKey}, .lines_max = kVersionsMax},
                   limits));
  for (const TimeSeriesLine& line : series.lines) {
    const auto first = std::ranges::find_if(line.values, [](int64_t value) { return value != 0; });
    if (line.is_rest || line.labels[0].empty() || first == line.values.end())
      continue;
    const auto last = std::find_if(line.values.rbegin(), line.values.rend(),
                                   [](int64_t value) { return value != 0; });
    found.versions.push_back(
        {.version = line.labels[0],
         .first_nanos = series.from_nanos +
                        static_cast<uint64_t>(first - line.values.begin()) * found.step_nanos,
         .last_nanos = series.from_nanos +
                       static_cast<uint64_t>(line.values.rend() - last) * found.step_nanos,
         .total = line.total});
  }
  std::ranges::stable_sort(found.versions, {}, [](const Deployment& one) {
    return std::pair(one.first_nanos, one.last_nanos);
  });
  found.extent = series.extent;
  return found;
}

absl::StatusOr<Regressions> CompareVersions(const DataSource& source, const ProfileScope& scope,
                                            const VersionPair& wanted, const ReadLimits& limits) {
  FLARE_ASSIGN(const Deployments found, FindDeployments(source, scope, limits));
  FLARE_ASSIGN(const Deployment* before, Pick(found, wanted.before, 2));
  FLARE_ASSIGN(const Deployment* after, Pick(found, wanted.after, 1));
  Regressions result = {.before = *before, .after = *after};
  const auto scope_of = [&](const Deployment& one) -> absl::StatusOr<ProfileScope> {
    ProfileScope side = scope;
    FLARE_ASSIGN(store::Matcher version, IsVersion(one.version));
    side.matchers.push_back(std::move(version));
    side.range = {.from = std::max(scope.range.from, one.first_nanos),
                  .to = std::min(scope.range.to, one.last_nanos)};
    side.by_instance = true;
    return side;
  };
  FLARE_ASSIGN(const ProfileScope before_scope, scope_of(*before));
  FLARE_ASSIGN(const ProfileScope after_scope, scope_of(*after));
  FLARE_ASSIGN(const ScopeStacks before_stacks, ReadStacks(source, before_scope, limits));
  FLARE_ASSIGN(const ScopeStacks after_stacks, ReadStacks(source, after_scope, limits));
  FLARE_ASSIGN(result.requests_before, CountRequests(source, before_scope));
  FLARE_ASSIGN(result.requests_after, CountRequests(source, after_scope));
  DiffOptions options;
  if (result.requests_before != 0 && result.requests_after != 0) {
    options = {.norm = DiffNorm::kRequest,
               .requests_before = static_cast<double>(result.requests_before),
               .requests_after = static_cast<double>(result.requests_after)};
  }
  FLARE_ASSIGN(result.diff, Compare(before_stacks.set, after_stacks.set, options));
  result.extent = after_stacks.extent;
  return result;
}

}  // namespace flarestack::query
