// SPDX-License-Identifier: Apache-2.0
//
// One OTLP profiles message in memory: the resource > scope > profile > sample tree and its
// dictionary, all flat.
//
//   resources[i].scopes -> scopes[..]
//   scopes[j].profiles  -> profiles[..]
//   profiles[k].samples -> samples[..]
//
// Many stages read a batch and none changes it. A decoder makes a batch whose views point into the
// bytes it was given; these must outlive the batch unless they are in `arena`. A batch from
// BatchBuilder owns everything.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "model/dictionary.h"
#include "model/resource.h"

namespace flarestack::model {

struct ValueType {
  StringIndex type;
  StringIndex unit;
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

// A sample has one of three shapes: values only (one element, the total), timestamps only (each
// counts 1), or equally many of both.
struct Sample {
  StackIndex stack;
  LinkIndex link;
  Slice attributes;  // in Dictionary::attribute_indices
  Slice values;      // in Batch::values
  Slice timestamps;  // in Batch::timestamps, ns since the epoch
};

struct Profile {
  ValueType sample_type;
  ValueType period_type;
  int64_t period = 0;
  uint64_t time_unix_nano = 0;
  uint64_t duration_nano = 0;
  Slice samples;
  Slice attributes;  // in Dictionary::attribute_indices
  uint32_t dropped_attributes_count = 0;
  std::string_view profile_id;  // 16 bytes or empty
  std::string_view original_payload_format;
  std::string_view original_payload;
};

struct Scope : InstrumentationScope {
  Slice profiles;
};

struct Batch {
  base::Arena arena;  // first, so that it is destroyed last
  Dictionary dictionary;
  std::vector<Resource> resources;
  std::vector<Scope> scopes;
  std::vector<Profile> profiles;
  std::vector<Sample> samples;
  std::vector<int64_t> values;
  std::vector<uint64_t> timestamps;
  std::vector<EntityRef> entity_refs;
  std::vector<std::string_view> entity_keys;

  // Empties every table but keeps the memory for the next message. Does not touch the arena.
  void Clear();
  void ClearProfiles();  // everything except the dictionary
};

// The weight of a sample: the sum of its values, or the number of its timestamps if it has no
// values. Saturates.
int64_t Weight(const Batch& batch, const Sample& sample);

}  // namespace flarestack::model
