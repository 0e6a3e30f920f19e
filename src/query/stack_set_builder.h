// SPDX-License-Identifier: Apache-2.0
//
// Collects the stacks of one sample type from any number of batches. A batch is not needed any more
// once it was added, so many files take the memory of their distinct stacks.
//
//   StackSetBuilder builder({.tag_keys = {"thread.name"}});
//   for (...) FLARE_RETURN_IF_ERROR(builder.Add(batch, type));
//   const StackSet set = std::move(builder).Finish();
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "model/batch.h"
#include "model/intern_table.h"
#include "model/sample_type.h"
#include "query/stack_set.h"

namespace flarestack::query {

// The frame of a sample that has no stack, so that its weight shows.
inline constexpr std::string_view kNoStackFrame = "[no stack]";

struct StackSetOptions {
  // Attributes of samples, profiles and resources to keep as tags. Others are dropped: each
  // combination of values makes rows of its own. Dots and underscores are alike.
  std::vector<std::string> tag_keys;

  // Counts become what they stand for ("nanoseconds") where the profile gives a period, so that
  // profiles of different sampling rates compare.
  bool in_period_units = false;

  // Fills StackSet::instances and StackSet::parts.
  bool by_instance = false;

  uint64_t frames_max = uint64_t{1} << 30;  // in all distinct stacks
  uint64_t parts_max = uint64_t{1} << 28;   // pairs of a distinct stack and an instance that has it
};

class StackSetBuilder {
 public:
  explicit StackSetBuilder(StackSetOptions options);

  // What is added from now on is of another file: resources without attributes are another
  // instance.
  void BeginInput() { ++input_number_; }

  // `type` is one of this batch. The first call decides type and unit; kInvalidArgument when a
  // later one differs. All indices of the batch must be valid.
  absl::Status Add(const model::Batch& batch, const model::SampleTypeView& type);

  // Without the stacks that cost nothing: a heap profile names many of which nothing is in use.
  StackSet Finish() &&;

 private:
  class BatchReader;

  absl::Status TakeType(const model::Batch& batch, const model::SampleTypeView& type);
  uint32_t Row(std::span<const FrameId> frames, TagSetId tags);
  absl::Status CheckLimits() const;
  void CountProfile(const model::Profile& profile, uint32_t instance);
  uint32_t InstanceOf(const model::Batch& batch, const model::Resource& resource);
  void AddPart(uint32_t row, uint32_t instance, int64_t value);
  void SortInstances();
  TagSetId TagSet(std::vector<Tag> tags);

  StackSetOptions options_;
  StackSet set_;
  bool has_type_ = false;
  model::InternTable known_rows_;
  model::InternTable known_tag_sets_;
  uint32_t input_number_ = 0;
  absl::flat_hash_map<std::string, uint32_t> known_instances_;                // by identity
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> known_parts_;  // row and instance
};

}  // namespace flarestack::query
