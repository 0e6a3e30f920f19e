// SPDX-License-Identifier: Apache-2.0
#include "model/batch.h"

#include <limits>

namespace flarestack::model {

void Dictionary::Clear() {
  mappings.clear();
  locations.clear();
  functions.clear();
  links.clear();
  strings.clear();
  attributes.clear();
  stacks.clear();
  lines.clear();
  location_indices.clear();
  attribute_indices.clear();
  nodes.clear();
}

void Batch::Clear() {
  dictionary.Clear();
  ClearProfiles();
}

void Batch::ClearProfiles() {
  resources.clear();
  scopes.clear();
  profiles.clear();
  samples.clear();
  values.clear();
  timestamps.clear();
  entity_refs.clear();
  entity_keys.clear();
}

int64_t Weight(const Batch& batch, const Sample& sample) {
  if (sample.values.empty()) {
    return sample.timestamps.count;
  }
  int64_t sum = 0;
  for (const int64_t value : In(batch.values, sample.values)) {
    if (__builtin_add_overflow(sum, value, &sum)) {
      return value > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
    }
  }
  return sum;
}

}  // namespace flarestack::model
