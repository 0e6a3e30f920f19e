// SPDX-License-Identifier: Apache-2.0
//
// Stacks with a weight each: what every report starts from, in flat arrays. Rows that have the same
// frames and tags are one row, so its size is that of the distinct stacks and not of the samples.
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

// What the numbers of an attribute count, where the profile says so.
struct TagUnit {
  TextId key;
  TextId unit;
};

// One process, or whatever comes nearest to it (see instance.h): samples of one instance are not
// independent of each other, those of two are.
struct Instance {
  std::string identity;
  uint64_t duration_nanos = 0;
};

// What one instance adds to a row. The parts of a row are a chain, so that rows are merged and
// removed without moving the parts of others; an instance may stand in a chain more than once.
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
  int64_t events = 0;  // how many samples stand behind the value, for questions of noise
  uint32_t first_part = InstancePart::kNone;  // in StackSet::parts
};

// What profiles say of a function besides its name.
struct FunctionPlace {
  int64_t start_line = 0;  // 0: not known
  std::string build_id;    // GNU, in hexadecimal, of a program that has it; empty: not known
};

struct StackSet {
  FrameTable table;
  std::vector<FrameId> stack_frames;
  std::vector<StackRow> rows;
  std::vector<Tag> tags;
  std::vector<model::Slice> tag_sets = {model::Slice{}};  // in `tags`
  std::vector<TagUnit> tag_units;                         // a key once

  // Both empty unless the builder was asked to tell instances apart. The parts of a row then add up
  // to its value.
  std::vector<Instance> instances;  // by identity, ascending
  std::vector<InstancePart> parts;

  // By function and file. Empty unless the builder was asked for it.
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, FunctionPlace> places;

  std::string type;  // "cpu"
  std::string unit;  // "nanoseconds"
  int64_t period = 0;
  std::string period_type;
  std::string period_unit;
  uint32_t profile_count = 0;
  uint64_t duration_nanos = 0;  // the sum over all profiles: two hosts for a second are two seconds

  std::span<const FrameId> FramesOf(const StackRow& row) const {
    return model::In(stack_frames, row.frames);
  }
  std::span<const Tag> TagsOf(const StackRow& row) const {
    return model::In(tags, tag_sets[row.tags.value]);
  }
  // Null when nothing is known.
  const FunctionPlace* PlaceOf(TextId function, TextId file) const {
    const auto found = places.find({function.value, file.value});
    return found == places.end() ? nullptr : &found->second;
  }
  int64_t Total() const;  // saturates
};

// Makes one row of those that are the same, in the order of first appearance.
void MergeEqualRows(StackSet* set);

}  // namespace flarestack::query
