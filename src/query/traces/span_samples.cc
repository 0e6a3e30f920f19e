// SPDX-License-Identifier: Apache-2.0
#include "query/traces/span_samples.h"

#include <algorithm>
#include <utility>

#include "base/saturating.h"

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

}  // namespace flarestack::query
