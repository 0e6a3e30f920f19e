// SPDX-License-Identifier: Apache-2.0
#include "codec/sample_type.h"

#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/text.h"

namespace flarestack::codec {
namespace {

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    return b > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
  }
  return sum;
}

}  // namespace

std::vector<SampleTypeView> ListSampleTypes(const model::Batch& batch) {
  std::vector<SampleTypeView> types;
  absl::flat_hash_map<std::pair<std::string_view, std::string_view>, size_t> positions;
  for (size_t i = 0; i < batch.profiles.size(); ++i) {
    const model::ValueType& value_type = batch.profiles[i].sample_type;
    const std::string_view type = batch.dictionary.Text(value_type.type);
    const std::string_view unit = batch.dictionary.Text(value_type.unit);
    const auto [it, added] = positions.try_emplace({type, unit}, types.size());
    if (added) {
      types.push_back({.type = type, .unit = unit, .profiles = {}});
    }
    types[it->second].profiles.push_back(static_cast<uint32_t>(i));
  }
  return types;
}

absl::StatusOr<SampleTypeView> SelectSampleType(const model::Batch& batch,
                                                std::string_view wanted) {
  const std::vector<SampleTypeView> types = ListSampleTypes(batch);
  if (wanted.empty()) {
    return types.empty() ? SampleTypeView{} : types[0];
  }
  std::vector<std::string> names;
  for (const SampleTypeView& type : types) {
    names.push_back(base::StrCat(type.type, "/", type.unit));
    if (type.type == wanted || names.back() == wanted) {
      return type;
    }
  }
  return absl::NotFoundError(base::StrCat("no sample type \"", wanted, "\"; there is ",
                                          names.empty() ? "none" : absl::StrJoin(names, ", ")));
}

std::vector<StackWeight> SumByStack(const model::Batch& batch, const SampleTypeView& type) {
  std::vector<StackWeight> sums;
  std::vector<uint32_t> positions(batch.dictionary.stacks.size(), 0);  // position in sums plus one
  for (const uint32_t profile : type.profiles) {
    for (const model::Sample& sample : model::In(batch.samples, batch.profiles[profile].samples)) {
      uint32_t& position = positions[sample.stack.value];
      if (position == 0) {
        sums.push_back({.stack = sample.stack});
        position = static_cast<uint32_t>(sums.size());
      }
      int64_t& weight = sums[position - 1].weight;
      weight = SaturatingAdd(weight, model::Weight(batch, sample));
    }
  }
  return sums;
}

}  // namespace flarestack::codec
