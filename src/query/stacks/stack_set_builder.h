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
#include "query/stacks/stack_set.h"

namespace flarestack::query {

// The frame of a sample that has no stack, so that its weight shows.
inline constexpr std::string_view kNoStackFrame = "[no stack]";

struct StackSetOptions {
  // Attributes of samples, profiles and resources to keep as tags. Others are dropped: each
  // combination of values makes rows of its own. Dots and underscores are alike.
  std::vector<std::string> tag_keys;
  bool keeps_all_tags = false;  // whatever they are called

  // Counts become what they stand for ("nanoseconds") where the profile gives a period, so that
  // profiles of different sampling rates compare.
  bool in_period_units = false;

  // What the set is called, when set: profiles of any type are then added up if their units agree.
  std::string type_name;

  // Rows that have nothing in common but their stack and tags stay apart whatever a filter makes of
  // them, so that one can tell which samples are left (see RowsOfSamples).
  bool keeps_rows_apart = false;

  // Fills StackSet::instances and StackSet::parts.
  bool by_instance = false;

  bool keeps_places = false;  // fills StackSet::places

  // Values of gauges (model/gauge_type.h) are averages over time already. Otherwise each profile of
  // a gauge is a snapshot: an instance has the average of its snapshots.
  bool has_averages = false;

  uint64_t frames_max = uint64_t{1} << 30;  // in all distinct stacks
  uint64_t parts_max = uint64_t{1} << 28;   // pairs of a distinct stack and an instance that has it
};

// Which row each sample of a batch went to, for a builder that keeps rows apart.
struct RowsOfSamples {
  static constexpr uint32_t kNone = UINT32_MAX;

  std::vector<uint32_t> rows;    // by sample; kNone: of another type
  std::vector<int64_t> factors;  // by profile: what its values are multiplied with
};

// The numbers that rows had before a filter, of those that it left.
std::vector<uint32_t> RowsLeft(const StackSet& set);

class StackSetBuilder {
 public:
  explicit StackSetBuilder(StackSetOptions options);

  // What is added from now on is of another file: resources without attributes are another
  // instance.
  void BeginInput() { ++input_number_; }

  // `type` is one of this batch. The first call decides type and unit; kInvalidArgument when a
  // later one differs. All indices of the batch must be valid.
  absl::Status Add(const model::Batch& batch, const model::SampleTypeView& type);

  // The same; tells where each sample went. Rows are numbered over all calls.
  absl::Status Add(const model::Batch& batch, const model::SampleTypeView& type,
                   RowsOfSamples* rows);

  // Without the stacks that cost nothing: a heap profile names many of which nothing is in use.
  StackSet Finish() &&;

 private:
  class BatchReader;

  absl::Status TakeType(const model::Batch& batch, const model::SampleTypeView& type);
  uint32_t Row(std::span<const FrameId> frames, TagSetId tags);
  bool has_tags() const { return options_.keeps_all_tags || !options_.tag_keys.empty(); }
  absl::Status CheckLimits() const;
  void CountProfile(const model::Profile& profile, uint32_t instance);
  void CountSnapshot(const model::Scope& scope, const model::Profile& profile, uint32_t instance);
  bool tells_instances_apart() const { return options_.by_instance || averages_; }
  uint32_t InstanceOf(const model::Batch& batch, const model::Resource& resource);
  void AddPart(uint32_t row, uint32_t instance, int64_t value);
  void SortInstances();
  void AverageSnapshots();
  TagSetId TagSet(std::vector<Tag> tags);
  TagSetId WithRowNumber(TagSetId tags);

  StackSetOptions options_;
  StackSet set_;
  bool has_type_ = false;
  bool averages_ = false;  // the type is a gauge, and values are those of snapshots
  model::InternTable known_rows_;
  model::InternTable known_tag_sets_;
  uint32_t input_number_ = 0;
  absl::flat_hash_map<std::string, uint32_t> known_instances_;                // by identity
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> known_parts_;  // row and instance
  // By instance and what else makes a series.
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, uint64_t> snapshots_;
};

}  // namespace flarestack::query
