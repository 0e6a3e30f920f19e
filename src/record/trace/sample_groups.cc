// SPDX-License-Identifier: Apache-2.0
#include "record/trace/sample_groups.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/container/flat_hash_map.h"

namespace flarestack::record::agent {
namespace {

// Makes the output deterministic.
void SortByTime(std::vector<const SampleEntry*>* entries) {
  std::sort(entries->begin(), entries->end(), [](const SampleEntry* a, const SampleEntry* b) {
    return std::tuple(a->second.times_ns.front(), a->first.tid, a->first.kind) <
           std::tuple(b->second.times_ns.front(), b->first.tid, b->first.kind);
  });
}

// Returns the attributes of the merged group that a group with these attributes goes to.
ResourceAttributes AttributesOfOthers(const ResourceAttributes& from) {
  ResourceAttributes attributes;
  for (const TextAttribute& attribute : from) {
    if (attribute.key.starts_with("container.") || attribute.key.starts_with("k8s."))
      attributes.push_back(attribute);
  }
  attributes.push_back({"service.name", "other"});
  return attributes;
}

size_t SampleCount(const SampleGroup& group) {
  size_t count = 0;
  for (const SampleEntry* entry : group.entries)
    count += entry->second.times_ns.size();
  return count;
}

// Returns the number of samples a group needs to stay separate. Leaves space for one merged group.
size_t LeastSampleCount(const std::vector<SampleGroup>& groups, size_t groups_max) {
  std::vector<size_t> counts;
  for (const SampleGroup& group : groups)
    counts.push_back(SampleCount(group));
  const auto place = counts.begin() + static_cast<ptrdiff_t>(groups_max - 1);
  std::nth_element(counts.begin(), place, counts.end(), std::greater());
  return *place + 1;
}

size_t ProcessCount(const SampleGroup& group) {
  std::vector<uint32_t> owners;
  for (const SampleEntry* entry : group.entries)
    owners.push_back(entry->first.owner);
  std::sort(owners.begin(), owners.end());
  return static_cast<size_t>(std::unique(owners.begin(), owners.end()) - owners.begin());
}

void MergeSmall(size_t groups_max, SampleGroups* all) {
  const size_t least = LeastSampleCount(all->groups, groups_max);
  std::vector<SampleGroup> kept;
  std::map<std::vector<std::pair<std::string, std::string>>, SampleGroup> others;
  for (SampleGroup& group : all->groups) {
    if (SampleCount(group) >= least) {
      kept.push_back(std::move(group));
      continue;
    }
    all->merged_count += ProcessCount(group);
    ResourceAttributes attributes = AttributesOfOthers(*group.attributes);
    std::vector<std::pair<std::string, std::string>> key;
    for (const TextAttribute& attribute : attributes)
      key.emplace_back(attribute.key, attribute.value);
    SampleGroup& other = others[std::move(key)];
    if (other.attributes == nullptr)
      other.attributes = std::make_shared<const ResourceAttributes>(std::move(attributes));
    other.entries.insert(other.entries.end(), group.entries.begin(), group.entries.end());
  }
  for (auto& [key, group] : others)
    kept.push_back(std::move(group));
  all->groups = std::move(kept);
}

}  // namespace

SampleGroups GroupSamples(const SampleWindow& window, Grouping grouping, size_t groups_max) {
  std::vector<std::vector<const SampleEntry*>> by_owner(window.owners.size());
  for (const SampleEntry& entry : window.samples)
    by_owner[entry.first.owner].push_back(&entry);
  SampleGroups all;
  absl::flat_hash_map<const ResourceAttributes*, size_t> places;
  for (size_t owner = 0; owner < by_owner.size(); ++owner) {
    if (by_owner[owner].empty())
      continue;
    ++all.process_count;
    const ProcessResource& process = *window.owners[owner];
    const bool is_alone = grouping == Grouping::kProcess;
    const auto [place, is_new] = places.try_emplace(process.group.get(), all.groups.size());
    if (is_alone || is_new)
      all.groups.push_back({.attributes = process.group, .process = is_alone ? &process : nullptr});
    SampleGroup& group = is_alone ? all.groups.back() : all.groups[place->second];
    group.entries.insert(group.entries.end(), by_owner[owner].begin(), by_owner[owner].end());
  }
  if (grouping == Grouping::kExecutable && all.groups.size() > groups_max)
    MergeSmall(groups_max, &all);
  for (SampleGroup& group : all.groups)
    SortByTime(&group.entries);
  return all;
}

}  // namespace flarestack::record::agent
