// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/tag_keys.h"

#include <vector>

namespace flarestack::query {

void ListTagKeys(const model::Batch& batch, const model::SampleTypeView& type,
                 std::set<std::string>* keys) {
  const model::Dictionary& tables = batch.dictionary;
  std::vector<bool> is_seen(tables.attributes.size(), false);
  const auto meet = [&](model::Slice attributes) {
    for (const model::AttributeIndex index : model::In(tables.attribute_indices, attributes)) {
      if (is_seen[index.value])
        continue;
      is_seen[index.value] = true;
      keys->emplace(tables.Text(tables.attributes[index.value].key));
    }
  };
  std::vector<bool> is_wanted(batch.profiles.size(), false);
  for (const uint32_t profile : type.profiles) {
    is_wanted[profile] = true;
    meet(batch.profiles[profile].attributes);
    for (const model::Sample& sample : model::In(batch.samples, batch.profiles[profile].samples))
      meet(sample.attributes);
  }
  for (const model::Resource& resource : batch.resources) {
    bool has_wanted = false;
    for (const model::Scope& scope : model::In(batch.scopes, resource.scopes)) {
      for (uint32_t i = scope.profiles.begin; i < scope.profiles.end(); ++i)
        has_wanted = has_wanted || is_wanted[i];
    }
    if (!has_wanted)
      continue;
    for (const model::KeyValue& attribute : model::In(tables.nodes, resource.attributes))
      keys->emplace(tables.Key(attribute));
  }
}

}  // namespace flarestack::query
