// SPDX-License-Identifier: Apache-2.0
#include "model/sample_type.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/saturating.h"
#include "base/text.h"

namespace flarestack::model {
namespace {

constexpr std::string_view kDefaultTypeKey = "pprof.scope.default_sample_type";

// The type that the sender wants shown first; empty when no scope says so.
std::string_view DefaultTypeName(const Batch& batch) {
  for (const Scope& scope : batch.scopes) {
    for (const KeyValue& attribute : In(batch.dictionary.nodes, scope.attributes)) {
      if (batch.dictionary.Key(attribute) == kDefaultTypeKey &&
          batch.dictionary.IsString(attribute.value))
        return batch.dictionary.String(attribute.value);
    }
  }
  return {};
}

// How well a type fits what is wanted.
enum class Fit { kNone, kSpelling, kExact };

Fit FitOf(const SampleTypeView& type, std::string_view wanted) {
  if (type.type == wanted)
    return Fit::kExact;
  if (SameSampleType(type.type, wanted))
    return Fit::kSpelling;
  const size_t unit_bytes = type.unit.size() + 1;
  if (wanted.size() < unit_bytes || !wanted.ends_with(type.unit))
    return Fit::kNone;
  const char separator = wanted[wanted.size() - unit_bytes];
  const std::string_view name = wanted.substr(0, wanted.size() - unit_bytes);
  if ((separator != '/' && separator != ':') || !SameSampleType(type.type, name))
    return Fit::kNone;
  return type.type == name ? Fit::kExact : Fit::kSpelling;
}

}  // namespace

bool SameSampleType(std::string_view a, std::string_view b) {
  const auto is_off_cpu = [](std::string_view name) {
    return name == "off_cpu" || name == "offcpu" || name == "off-cpu";
  };
  return a == b || (is_off_cpu(a) && is_off_cpu(b));
}

std::vector<SampleTypeView> ListSampleTypes(const Batch& batch) {
  std::vector<SampleTypeView> types;
  absl::flat_hash_map<std::pair<std::string_view, std::string_view>, size_t> positions;
  for (size_t i = 0; i < batch.profiles.size(); ++i) {
    const ValueType& value_type = batch.profiles[i].sample_type;
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

absl::StatusOr<SampleTypeView> SelectSampleType(const Batch& batch, std::string_view wanted) {
  const std::vector<SampleTypeView> types = ListSampleTypes(batch);
  if (wanted.empty()) {
    const auto named = std::ranges::find(types, DefaultTypeName(batch), &SampleTypeView::type);
    if (named != types.end() && !named->type.empty())
      return *named;
    return types.empty() ? SampleTypeView{} : types[0];
  }
  for (const Fit fit : {Fit::kExact, Fit::kSpelling}) {
    for (const SampleTypeView& type : types) {
      if (FitOf(type, wanted) == fit)
        return type;
    }
  }
  std::vector<std::string> names;
  for (const SampleTypeView& type : types)
    names.push_back(base::StrCat(type.type, "/", type.unit));
  return absl::NotFoundError(base::StrCat("no sample type \"", wanted, "\"; there is ",
                                          names.empty() ? "none" : absl::StrJoin(names, ", ")));
}

std::vector<StackWeight> SumByStack(const Batch& batch, const SampleTypeView& type) {
  std::vector<StackWeight> sums;
  std::vector<uint32_t> positions(batch.dictionary.stacks.size(), 0);  // position in sums plus one
  for (const uint32_t profile : type.profiles) {
    for (const Sample& sample : In(batch.samples, batch.profiles[profile].samples)) {
      uint32_t& position = positions[sample.stack.value];
      if (position == 0) {
        sums.push_back({.stack = sample.stack});
        position = static_cast<uint32_t>(sums.size());
      }
      int64_t& weight = sums[position - 1].weight;
      weight = base::SaturatingAdd(weight, Weight(batch, sample));
    }
  }
  return sums;
}

}  // namespace flarestack::model
