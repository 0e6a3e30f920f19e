// SPDX-License-Identifier: Apache-2.0
#include "model/sample_type.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/saturating.h"
#include "base/text/text.h"
#include "model/gauge_type.h"

namespace flarestack::model {
namespace {

constexpr std::string_view kDefaultTypeKey = "pprof.scope.default_sample_type";

// The type that the sender wants shown first; empty if no scope names one.
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

// How well a type matches the requested one.
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
  return absl::NotFoundError(base::StrCat("no sample type \"", wanted, "\"; available: ",
                                          names.empty() ? "none" : absl::StrJoin(names, ", ")));
}

namespace {

// Sums weights by stack.
class StackSums {
 public:
  explicit StackSums(const Batch& batch)
      : batch_(batch), positions_(batch.dictionary.stacks.size(), 0) {}

  void Add(StackIndex stack, int64_t weight) {
    uint32_t& position = positions_[stack.value];
    if (position == 0) {
      sums_.push_back({.stack = stack});
      position = static_cast<uint32_t>(sums_.size());
    }
    int64_t& sum = sums_[position - 1].weight;
    sum = base::SaturatingAdd(sum, weight);
  }

  void Add(const Profile& profile) {
    for (const Sample& sample : In(batch_.samples, profile.samples))
      Add(sample.stack, Weight(batch_, sample));
  }

  std::vector<StackWeight> Take() && { return std::move(sums_); }

 private:
  const Batch& batch_;
  std::vector<uint32_t> positions_;  // position in sums_ plus one, by stack
  std::vector<StackWeight> sums_;
};

// Profiles of one scope are snapshots of one instance, unless the resource has no attributes.
void AddGauge(const Batch& batch, const std::vector<bool>& is_wanted, StackSums* sums) {
  for (const Resource& resource : batch.resources) {
    for (const Scope& scope : In(batch.scopes, resource.scopes)) {
      StackSums of_scope(batch);
      int64_t snapshots = 0;
      for (uint32_t i = scope.profiles.begin; i < scope.profiles.end(); ++i) {
        if (!is_wanted[i])
          continue;
        of_scope.Add(batch.profiles[i]);
        ++snapshots;
      }
      const bool is_instance = resource.attributes.count != 0;
      for (const StackWeight& sum : std::move(of_scope).Take())
        sums->Add(sum.stack, is_instance ? sum.weight / snapshots : sum.weight);
    }
  }
}

}  // namespace

std::vector<StackWeight> SumByStack(const Batch& batch, const SampleTypeView& type) {
  StackSums sums(batch);
  if (IsGaugeType(type.type) && type.profiles.size() > 1) {
    std::vector<bool> is_wanted(batch.profiles.size(), false);
    for (const uint32_t profile : type.profiles)
      is_wanted[profile] = true;
    AddGauge(batch, is_wanted, &sums);
  } else {
    for (const uint32_t profile : type.profiles)
      sums.Add(batch.profiles[profile]);
  }
  return std::move(sums).Take();
}

}  // namespace flarestack::model
