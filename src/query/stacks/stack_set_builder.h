// SPDX-License-Identifier: Apache-2.0
//
// Collects the stacks of one sample type from any number of batches. A batch is no longer needed
// once it was added, so the memory for many files depends only on their distinct stacks.
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
#include "model/builder/intern_table.h"
#include "model/sample_type.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

// The frame of a sample without a stack, so that its weight is visible.
inline constexpr std::string_view kNoStackFrame = "[no stack]";

struct StackSetOptions {
  // Attributes of samples, profiles and resources to keep as tags. Others are dropped, because each
  // combination of values makes separate rows. Dots and underscores are equivalent.
  std::vector<std::string> tag_keys;
  bool keeps_all_tags = false;  // regardless of their keys

  // Converts counts to the unit they stand for ("nanoseconds") if the profile has a period, so that
  // profiles with different sampling rates can be compared.
  bool in_period_units = false;

  // The name of the set. If set, profiles of any type are added, as long as their units agree.
  std::string type_name;

  // Keeps rows separate even if a filter makes them equal, so that callers can tell which samples
  // are left (see RowsOfSamples).
  bool keeps_rows_apart = false;

  // Fills StackSet::instances and StackSet::parts.
  bool by_instance = false;

  bool keeps_places = false;  // fills StackSet::places

  // Gauge values (model/gauge_type.h) are already averages over time. If false, each profile of a
  // gauge is a snapshot, and an instance has the average of its snapshots.
  bool has_averages = false;

  uint64_t frames_max = uint64_t{1} << 30;  // of all distinct stacks
  uint64_t parts_max = uint64_t{1} << 28;   // pairs of a distinct stack and an instance
};

// The row of each sample of a batch, for a builder with keeps_rows_apart.
struct RowsOfSamples {
  static constexpr uint32_t kNone = UINT32_MAX;

  std::vector<uint32_t> rows;    // by sample; kNone: of another type
  std::vector<int64_t> factors;  // by profile: the multiplier of its values
};

// The original numbers of the rows that a filter left.
std::vector<uint32_t> RowsLeft(const StackSet& set);

class StackSetBuilder {
 public:
  explicit StackSetBuilder(StackSetOptions options);

  // Starts a new file: from now on, resources without attributes are a different instance.
  void BeginInput() { ++input_number_; }

  // `type` must be from this batch. The first call determines type and unit. Returns
  // kInvalidArgument if a later one differs. All indices of the batch must be valid.
  absl::Status Add(const model::Batch& batch, const model::SampleTypeView& type);

  // The same, and reports the row of each sample. Rows are numbered across all calls.
  absl::Status Add(const model::Batch& batch, const model::SampleTypeView& type,
                   RowsOfSamples* rows);

  // Drops stacks that cost nothing: a heap profile lists many with nothing in use.
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
  bool averages_ = false;  // the type is a gauge and values are snapshots
  model::InternTable known_rows_;
  model::InternTable known_tag_sets_;
  uint32_t input_number_ = 0;
  absl::flat_hash_map<std::string, uint32_t> known_instances_;                // by identity
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> known_parts_;  // row and instance
  // By instance, and a hash of scope name and period.
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, uint64_t> snapshots_;
};

}  // namespace flarestack::query
