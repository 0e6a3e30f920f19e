// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/filter_batch.h"

#include <utility>

#include "base/status.h"
#include "model/builder/batch_builder.h"
#include "model/sample_type.h"
#include "query/stacks/stack_set_batch.h"
#include "query/stacks/stack_set_builder.h"

namespace flarestack::query {

absl::StatusOr<model::Batch> FilterBatch(const model::Batch& batch, Filter filter) {
  filter.ShowInternals();
  model::BatchBuilder merged;
  for (const model::SampleTypeView& type : model::ListSampleTypes(batch)) {
    StackSetBuilder builder({.tag_keys = filter.TagKeys()});
    FLARE_RETURN_IF_ERROR(builder.Add(batch, type));
    StackSet set = std::move(builder).Finish();
    FLARE_RETURN_IF_ERROR(filter.Apply(&set));
    if (set.rows.empty())
      continue;
    const uint64_t time = batch.profiles[type.profiles.front()].time_unix_nano;
    FLARE_ASSIGN(const model::Batch one, ToBatch(set, time));
    merged.Merge(one);
  }
  return std::move(merged).Finish();
}

}  // namespace flarestack::query
