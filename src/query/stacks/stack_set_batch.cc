// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/stack_set_batch.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/saturating.h"
#include "base/status.h"
#include "model/builder/batch_builder.h"
#include "model/frame.h"
#include "model/sample_type.h"
#include "query/stacks/stack_set_builder.h"

namespace flarestack::query {
namespace {

constexpr std::string_view kFrameTypeKey = "profile.frame.type";

class Writer {
 public:
  explicit Writer(const StackSet& set) : set_(set) {}

  absl::StatusOr<model::Batch> Write(uint64_t time_unix_nano) && {
    if (set_.rows.empty())
      return std::move(builder_).Finish();
    builder_.AddProfile(
        builder_.AddScope(builder_.AddResource({}), {}),
        {.sample_type = {.type = to_.String(set_.type), .unit = to_.String(set_.unit)},
         .period_type = {.type = to_.String(set_.period_type),
                         .unit = to_.String(set_.period_unit)},
         .period = set_.period,
         .time_unix_nano = time_unix_nano,
         .duration_nano = set_.duration_nanos});
    // Rows that differ only in their tags have the same stack.
    std::vector<model::StackIndex> stacks;
    std::vector<int64_t> values;  // by stack
    for (const StackRow& row : set_.rows) {
      const model::StackIndex stack = StackOf(set_.FramesOf(row));
      if (stack.value >= values.size()) {
        values.resize(stack.value + 1, 0);
        stacks.push_back(stack);
      }
      values[stack.value] = base::SaturatingAdd(values[stack.value], row.value);
    }
    for (const model::StackIndex stack : stacks)
      builder_.AddSample({.stack = stack, .values = builder_.Values({{values[stack.value]}})});
    return std::move(builder_).Finish();
  }

 private:
  // Inlined frames follow the frame they were inlined into, at its location.
  model::StackIndex StackOf(std::span<const FrameId> frames) {
    locations_.clear();
    for (size_t begin = 0; begin < frames.size();) {
      size_t end = begin + 1;
      while (end < frames.size() && set_.table.At(frames[end]).is_inlined)
        ++end;
      locations_.push_back(LocationOf(frames.subspan(begin, end - begin)));
      begin = end;
    }
    std::ranges::reverse(locations_);
    return to_.Stack(locations_);
  }

  model::LocationIndex LocationOf(std::span<const FrameId> frames) {
    lines_.clear();
    for (size_t i = frames.size(); i-- > 0;) {
      const Frame& frame = set_.table.At(frames[i]);
      const model::FunctionIndex function =
          to_.Function({.name = String(frame.function), .filename = String(frame.file)});
      lines_.push_back({.function = function, .line = frame.line});
    }
    const Frame& outermost = set_.table.At(frames.front());
    model::MappingIndex mapping;
    if (!set_.table.Text(outermost.module).empty())
      mapping = to_.Mapping({.filename = String(outermost.module)}, {});
    attributes_.clear();
    if (const std::string_view type = set_.table.Text(outermost.type); !type.empty())
      attributes_.push_back(to_.Attribute(kFrameTypeKey, model::AnyValue::String(type)));
    if (outermost.is_internal)
      attributes_.push_back(to_.Attribute(model::kInternalFrameKey, model::AnyValue::Bool(true)));
    return to_.Location({.mapping = mapping}, lines_, attributes_);
  }

  model::StringIndex String(TextId text) { return to_.String(set_.table.Text(text)); }

  const StackSet& set_;
  model::BatchBuilder builder_;
  model::DictionaryBuilder& to_ = builder_.dictionary();
  std::vector<model::LocationIndex> locations_;    // scratch
  std::vector<model::Line> lines_;                 // scratch
  std::vector<model::AttributeIndex> attributes_;  // scratch
};

}  // namespace

absl::StatusOr<model::Batch> ToBatch(const StackSet& set, uint64_t time_unix_nano) {
  return Writer(set).Write(time_unix_nano);
}

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
