// SPDX-License-Identifier: Apache-2.0
#include "query/traces/span_samples.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/saturating.h"
#include "base/status.h"
#include "model/frame.h"
#include "query/data/data_source.h"

namespace flarestack::query {

std::map<std::string, std::vector<SpanSamples>> SamplesBySpan(const model::Batch& batch) {
  using Type = std::pair<std::string, std::string>;
  std::map<std::string, std::map<Type, SpanSamples>> by_span;
  for (const model::Profile& profile : batch.profiles) {
    const Type type(batch.dictionary.Text(profile.sample_type.type),
                    batch.dictionary.Text(profile.sample_type.unit));
    for (const model::Sample& sample : model::In(batch.samples, profile.samples)) {
      if (!sample.link)
        continue;
      const model::Link& link = batch.dictionary.links[sample.link.value];
      SpanSamples& samples = by_span[std::string(link.span_id)][type];
      samples.count += std::max(sample.timestamps.count, sample.values.count);
      samples.sum = base::SaturatingAdd(samples.sum, model::Weight(batch, sample));
    }
  }
  std::map<std::string, std::vector<SpanSamples>> result;
  for (auto& [span, by_type] : by_span) {
    for (auto& [type, samples] : by_type) {
      samples.type = type.first;
      samples.unit = type.second;
      result[span].push_back(std::move(samples));
    }
  }
  return result;
}

absl::StatusOr<std::vector<TraceCost>> CostByTrace(const DataSource& source,
                                                   const ProfileScope& scope,
                                                   const std::string& function,
                                                   const ReadLimits& limits) {
  ReadExtent extent;
  store::ProfileQuery query = QueryFor(scope, limits, &extent);
  query.detail = store::Detail::kSamples;
  FLARE_ASSIGN(const model::Batch batch, source.SelectProfiles(query));
  const model::Dictionary& dictionary = batch.dictionary;
  std::vector<bool> has_function(dictionary.stacks.size(), function.empty());
  for (uint32_t i = 0; i < dictionary.stacks.size() && !function.empty(); ++i) {
    const std::vector<model::Frame> frames = model::FramesOf(dictionary, {i});
    has_function[i] = std::ranges::any_of(frames, [&](const model::Frame& frame) {
      return model::FrameName(dictionary, frame) == function;
    });
  }
  std::map<std::string_view, TraceCost> by_trace;
  for (const model::Sample& sample : batch.samples) {
    if (!sample.link || !has_function[sample.stack.value])
      continue;
    TraceCost& cost = by_trace[dictionary.links[sample.link.value].trace_id];
    cost.samples += std::max(sample.timestamps.count, sample.values.count);
    cost.value = base::SaturatingAdd(cost.value, model::Weight(batch, sample));
  }
  std::vector<TraceCost> costs;
  for (auto& [trace_id, cost] : by_trace) {
    cost.trace_id = trace_id;
    costs.push_back(std::move(cost));
  }
  std::ranges::stable_sort(costs, std::greater(), &TraceCost::value);
  return costs;
}

}  // namespace flarestack::query
