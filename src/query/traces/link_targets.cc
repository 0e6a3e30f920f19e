// SPDX-License-Identifier: Apache-2.0
#include "query/traces/link_targets.h"

#include <algorithm>

#include "base/status.h"
#include "base/text/text.h"
#include "query/data/data_source.h"

namespace flarestack::query {
namespace {

constexpr size_t kItemsMax = 10'000;  // counting limit; the link says if there are more

}  // namespace

void AddLink(SignalLink link, Links* links) {
  if (link.count != 0)
    links->links.push_back(std::move(link));
}

LinkParameters RangeParameters(const store::TimeRange& range) {
  return {{"from", std::to_string(range.from)}, {"to", std::to_string(range.to)}};
}

LinkParameters Joined(LinkParameters first, const LinkParameters& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

LinkParameters SelectorParameters(const std::vector<store::Matcher>& matchers) {
  if (matchers.empty())
    return {};
  return {{"q", store::SelectorText(matchers)}};
}

absl::StatusOr<std::map<std::string, uint64_t>> CountSamplesByType(const DataSource& source,
                                                                   const ProfileScope& scope,
                                                                   const ReadLimits& limits) {
  ReadExtent extent;
  store::ProfileQuery query = QueryFor(scope, limits, &extent);
  query.detail = store::Detail::kSamples;
  FLARE_ASSIGN(const model::Batch batch, source.SelectProfiles(query));
  std::map<std::string, uint64_t> by_type;
  for (const model::Profile& profile : batch.profiles) {
    uint64_t& count = by_type[base::StrCat(batch.dictionary.Text(profile.sample_type.type), ":",
                                           batch.dictionary.Text(profile.sample_type.unit))];
    for (const model::Sample& sample : model::In(batch.samples, profile.samples))
      count += std::max(sample.timestamps.count, sample.values.count);
  }
  return by_type;
}

absl::Status AddProfiles(const DataSource& source, const ProfileScope& scope,
                         const ReadLimits& limits, const ProfileTarget& target, Links* links) {
  FLARE_ASSIGN(const auto by_type, CountSamplesByType(source, scope, limits));
  for (const auto& [type, count] : by_type) {
    AddLink({.to = "profile",
             .what = target.what,
             .quality = target.quality,
             .count = count,
             .show = {.path = "/flame", .parameters = Joined({{"type", type}}, target.parameters)}},
            links);
  }
  return absl::OkStatus();
}

absl::Status AddLogs(const DataSource& source, store::LogQuery query, std::string what,
                     LinkQuality quality, const LinkParameters& parameters, Links* links) {
  query.limit = kItemsMax;
  FLARE_ASSIGN(const store::SelectedLogs logs, source.SelectLogs(query));
  AddLink({.to = "logs",
           .what = std::move(what),
           .quality = quality,
           .count = logs.log_records.size(),
           .is_capped = !logs.next.empty(),
           .show = {.path = "/logs", .parameters = parameters}},
          links);
  return absl::OkStatus();
}

absl::Status AddSpansOfTime(const DataSource& source, const std::vector<store::Matcher>& matchers,
                            const store::TimeRange& range, Links* links) {
  store::SpanQuery query;
  query.matchers = matchers;
  query.range = range;
  query.limit = kItemsMax;
  FLARE_ASSIGN(const store::SelectedSpans spans, source.SelectSpans(query));
  AddLink({.to = "trace",
           .what = "spans started in this time range",
           .quality = LinkQuality::kInferred,
           .count = spans.spans.size(),
           .is_capped = !spans.next.empty(),
           .show = {.path = "/traces",
                    .parameters = Joined(SelectorParameters(matchers), RangeParameters(range))}},
          links);
  return absl::OkStatus();
}

absl::Status AddMetricsOfTime(const DataSource& source, const std::vector<store::Matcher>& matchers,
                              Links* links) {
  FLARE_ASSIGN(const auto series,
               source.ListMetrics({.name = {}, .matchers = matchers, .limit = kItemsMax}));
  AddLink({.to = "metric",
           .what = "metric series of the same resource",
           .quality = LinkQuality::kInferred,
           .count = series.size(),
           .is_capped = series.size() == kItemsMax,
           .show = {.path = "/metrics", .parameters = SelectorParameters(matchers)}},
          links);
  return absl::OkStatus();
}

absl::StatusOr<std::map<std::string, uint64_t>> ExemplarTraces(const DataSource& source,
                                                               const store::MetricQuery& query,
                                                               std::string_view trace_id) {
  FLARE_ASSIGN(const model::MetricBatch batch, source.SelectMetrics(query));
  std::map<std::string, uint64_t> traces;
  for (const model::Exemplar& exemplar : batch.exemplars) {
    if (!exemplar.trace_id.empty() && (trace_id.empty() || exemplar.trace_id == trace_id))
      ++traces[std::string(exemplar.trace_id)];
  }
  return traces;
}

}  // namespace flarestack::query
