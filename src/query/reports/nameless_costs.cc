// SPDX-License-Identifier: Apache-2.0
#include "query/reports/nameless_costs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/saturating.h"
#include "base/status.h"
#include "query/data/data_source.h"
#include "symbol/batch_names.h"

namespace flarestack::query {
namespace {

using base::SaturatingAdd;

// Mappings of the same file at different addresses are one module.
class Counter {
 public:
  explicit Counter(const model::Batch& batch)
      : batch_(batch),
        dictionary_(batch.dictionary),
        is_nameless_(dictionary_.locations.size()),
        module_of_mapping_(dictionary_.mappings.size(), kNone) {
    for (size_t i = 0; i < dictionary_.locations.size(); ++i)
      is_nameless_[i] = symbol::IsNameless(dictionary_, dictionary_.locations[i]);
  }

  void Add(const model::Sample& sample, NamelessCosts* costs) {
    const int64_t weight = model::Weight(batch_, sample);
    costs->total = SaturatingAdd(costs->total, weight);
    const auto locations =
        model::In(dictionary_.location_indices, dictionary_.stacks[sample.stack.value].locations);
    bool is_leaf = true;
    bool has_any = false;
    ++round_;
    for (const model::LocationIndex index : locations) {
      if (is_nameless_[index.value]) {
        has_any = true;
        Found& found = ModuleFor(dictionary_.locations[index.value].mapping);
        if (is_leaf)
          found.costs.self = SaturatingAdd(found.costs.self, weight);
        if (std::exchange(found.round, round_) != round_)  // once per stack
          found.costs.total = SaturatingAdd(found.costs.total, weight);
      }
      is_leaf = false;
    }
    if (has_any)
      costs->nameless = SaturatingAdd(costs->nameless, weight);
  }

  void Finish(NamelessCosts* costs) && {
    for (size_t i = 0; i < dictionary_.locations.size(); ++i) {
      const uint32_t module = module_of_mapping_[dictionary_.locations[i].mapping.value];
      if (is_nameless_[i] && module != kNone)
        ++modules_[module].costs.addresses;
    }
    for (Found& found : modules_)
      costs->modules.push_back(std::move(found.costs));
    std::ranges::sort(costs->modules, [](const NamelessModule& a, const NamelessModule& b) {
      return a.total != b.total ? a.total > b.total : a.module.path < b.module.path;
    });
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Found {
    NamelessModule costs;
    uint64_t round = 0;
  };

  Found& ModuleFor(model::MappingIndex mapping) {
    uint32_t& number = module_of_mapping_[mapping.value];
    if (number == kNone) {
      symbol::Module module = symbol::ModuleOf(dictionary_, dictionary_.mappings[mapping.value]);
      const auto [at, is_new] =
          numbers_.try_emplace({module.path, module.Key()}, static_cast<uint32_t>(modules_.size()));
      if (is_new)
        modules_.push_back({.costs = {.module = std::move(module)}});
      number = at->second;
    }
    return modules_[number];
  }

  const model::Batch& batch_;
  const model::Dictionary& dictionary_;
  std::vector<bool> is_nameless_;
  std::vector<uint32_t> module_of_mapping_;
  std::map<std::pair<std::string, std::string>, uint32_t> numbers_;  // by path and key
  std::vector<Found> modules_;
  uint64_t round_ = 0;
};

}  // namespace

absl::StatusOr<NamelessCosts> ReadNameless(const DataSource& source, const ProfileScope& scope,
                                           const ReadLimits& limits) {
  NamelessCosts costs;
  ProfileScope resolved = scope;
  if (resolved.type.empty()) {
    FLARE_ASSIGN(resolved.type, DefaultType(source, scope.matchers));
  }
  costs.type = resolved.type;
  store::ProfileQuery query = QueryFor(resolved, limits, &costs.extent);
  query.detail = store::Detail::kMerged;
  FLARE_ASSIGN(const model::Batch batch, source.SelectProfiles(query));
  Counter counter(batch);
  for (const model::Sample& sample : batch.samples)
    counter.Add(sample, &costs);
  std::move(counter).Finish(&costs);
  return costs;
}

}  // namespace flarestack::query
