// SPDX-License-Identifier: Apache-2.0
//
// Stacks with a weight each: what every report starts from, in flat arrays. Rows that have the same
// frames and tags are one row, so its size is that of the distinct stacks and not of the samples.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/index.h"
#include "query/frame_table.h"

namespace flarestack::query {

using TagSetId = model::Index<struct QueryTagSetTag>;  // 0 is the empty set

struct Tag {
  TextId key;
  TextId value;
  friend bool operator==(const Tag&, const Tag&) = default;
};

struct StackRow {
  model::Slice frames;  // in StackSet::stack_frames, root first
  TagSetId tags;
  int64_t value = 0;
  int64_t events = 0;  // how many samples stand behind the value, for questions of noise
};

struct StackSet {
  FrameTable table;
  std::vector<FrameId> stack_frames;
  std::vector<StackRow> rows;
  std::vector<Tag> tags;
  std::vector<model::Slice> tag_sets = {model::Slice{}};  // in `tags`

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
  int64_t Total() const;  // saturates
};

// Makes one row of those that are the same, in the order of first appearance.
void MergeEqualRows(StackSet* set);

}  // namespace flarestack::query
