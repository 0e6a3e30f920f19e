// SPDX-License-Identifier: Apache-2.0
//
// Stacks with their weights, in flat arrays: the input of every report. Rows with the same frames
// and tags are one row, so the size depends on the number of distinct stacks, not of samples.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/index.h"
#include "query/stacks/frame_table.h"

namespace flarestack::query {

using TagSetId = model::Index<struct QueryTagSetTag>;  // 0 is the empty set

struct Tag {
  TextId key;
  TextId value;
  friend bool operator==(const Tag&, const Tag&) = default;
};

// The unit of a numeric attribute, if the profile defines it.
struct TagUnit {
  TextId key;
  TextId unit;
};

// One process, or the nearest equivalent (see instance.h). Samples of one instance are not
// independent of each other, samples of two instances are.
struct Instance {
  std::string identity;
  uint64_t duration_nanos = 0;
};

// The contribution of one instance to a row. The parts of a row are a linked list, so that rows are
// merged and removed without moving the parts of others. An instance may occur in a list more than
// once.
struct InstancePart {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t instance = 0;  // in StackSet::instances
  uint32_t next = kNone;  // in StackSet::parts
  int64_t value = 0;
};

struct StackRow {
  model::Slice frames;  // in StackSet::stack_frames, root first
  TagSetId tags;
  int64_t value = 0;
  int64_t events = 0;                         // number of samples behind the value, for noise tests
  uint32_t first_part = InstancePart::kNone;  // in StackSet::parts
};

// Properties of a function besides its name.
struct FunctionPlace {
  int64_t start_line = 0;  // 0: unknown
  std::string build_id;    // GNU, in hex, of a program that contains it; empty: unknown
};

struct StackSet {
  FrameTable table;
  std::vector<FrameId> stack_frames;
  std::vector<StackRow> rows;
  std::vector<Tag> tags;
  std::vector<model::Slice> tag_sets = {model::Slice{}};  // in `tags`
  std::vector<TagUnit> tag_units;                         // one per key

  // Both empty unless StackSetOptions::by_instance was set. The parts of a row then add up to its
  // value.
  std::vector<Instance> instances;  // by identity, ascending
  std::vector<InstancePart> parts;

  // By function and file. Empty unless StackSetOptions::keeps_places was set.
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, FunctionPlace> places;

  std::string type;  // "cpu"
  std::string unit;  // "nanoseconds"
  int64_t period = 0;
  std::string period_type;
  std::string period_unit;
  uint32_t profile_count = 0;
  uint64_t duration_nanos = 0;  // sum over all profiles: two hosts for one second are two seconds

  std::span<const FrameId> FramesOf(const StackRow& row) const {
    return model::In(stack_frames, row.frames);
  }
  std::span<const Tag> TagsOf(const StackRow& row) const {
    return model::In(tags, tag_sets[row.tags.value]);
  }
  // Returns nullptr if nothing is known.
  const FunctionPlace* PlaceOf(TextId function, TextId file) const {
    const auto found = places.find({function.value, file.value});
    return found == places.end() ? nullptr : &found->second;
  }
  int64_t Total() const;  // saturates
};

// Merges equal rows, in the order of first appearance.
void MergeEqualRows(StackSet* set);

}  // namespace flarestack::query
