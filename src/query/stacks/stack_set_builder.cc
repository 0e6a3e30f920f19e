// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/stack_set_builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/hash.h"
#include "base/saturating.h"
#include "base/status.h"
#include "base/text/text.h"
#include "model/attribute_text.h"
#include "model/frame.h"
#include "model/gauge_type.h"
#include "query/stacks/instance.h"
#include "symbol/file_ids.h"
#include "symbol/module.h"

namespace flarestack::query {
namespace {

constexpr std::string_view kCountUnit = "count";
// A key that no attribute has.
constexpr std::string_view kRowKey = "\nrow";

}  // namespace

// Translates one batch, and caches its lookups.
class StackSetBuilder::BatchReader {
 public:
  BatchReader(const model::Batch& batch, StackSetBuilder* to)
      : batch_(batch),
        dictionary_(batch.dictionary),
        to_(*to),
        location_frames_(dictionary_.locations.size()),
        only_frames_(dictionary_.locations.size(), FrameId{kNotOne}),
        texts_(dictionary_.strings.size(), TextId{kNotKnown}),
        modules_(dictionary_.mappings.size(), TextId{kNotKnown}),
        tags_of_attribute_(dictionary_.attributes.size()),
        untagged_rows_(dictionary_.stacks.size(), RowsOfSamples::kNone) {
    if (to_.set_.stack_frames.empty()) {
      to_.set_.stack_frames.reserve(dictionary_.location_indices.size());
      to_.set_.rows.reserve(dictionary_.stacks.size());
      to_.set_.table.Reserve(dictionary_.strings.size(), dictionary_.locations.size());
    }
  }

  // Properties shared by the profiles of one resource.
  struct Origin {
    std::vector<Tag> tags;
    uint32_t instance = 0;
  };

  absl::Status AddProfile(const model::Profile& profile, const Origin& origin,
                          RowsOfSamples* rows_of_samples) {
    std::vector<Tag> common = origin.tags;
    AppendTags(profile.attributes, &common);
    const int64_t period = profile.period;
    const bool is_count = dictionary_.Text(profile.sample_type.unit) == kCountUnit;
    const bool is_period_type =
        dictionary_.Text(profile.period_type.type) == dictionary_.Text(profile.sample_type.type) &&
        dictionary_.Text(profile.period_type.unit) == dictionary_.Text(profile.sample_type.unit);
    const bool scales =
        to_.options_.in_period_units && is_count && period > 0 && to_.set_.unit != kCountUnit;
    if (rows_of_samples != nullptr)
      rows_of_samples->factors[Position(profile)] = scales ? period : 1;
    for (const model::Sample& sample : model::In(batch_.samples, profile.samples)) {
      int64_t value = model::Weight(batch_, sample);
      int64_t events = std::max<int64_t>(1, sample.timestamps.count);
      if (is_count) {
        events = value;
      } else if (is_period_type && period > 0) {
        events = value / period;
      }
      if (scales)
        value = base::SaturatingMultiply(value, period);
      const uint32_t row_index = RowOf(sample, common);
      if (rows_of_samples != nullptr)
        rows_of_samples->rows[static_cast<size_t>(&sample - batch_.samples.data())] = row_index;
      if (to_.tells_instances_apart())
        to_.AddPart(row_index, origin.instance, value);
      StackRow& row = to_.set_.rows[row_index];
      row.value = base::SaturatingAdd(row.value, value);
      row.events = base::SaturatingAdd(row.events, events);
      FLARE_RETURN_IF_ERROR(to_.CheckLimits());
    }
    return absl::OkStatus();
  }

  std::vector<Tag> TagsOf(const model::Resource& resource) {
    std::vector<Tag> tags;
    for (const model::KeyValue& attribute : model::In(dictionary_.nodes, resource.attributes))
      AppendTag(dictionary_.Key(attribute), attribute.value, &tags);
    return tags;
  }

 private:
  size_t Position(const model::Profile& profile) const {
    return static_cast<size_t>(&profile - batch_.profiles.data());
  }

  uint32_t RowOf(const model::Sample& sample, const std::vector<Tag>& common) {
    if (!to_.has_tags()) {
      uint32_t& row = untagged_rows_[sample.stack.value];
      if (row == RowsOfSamples::kNone)
        row = AddRow(sample.stack, {});
      return row;
    }
    std::vector<Tag> own = common;
    AppendTags(sample.attributes, &own);
    const TagSetId tags = to_.TagSet(std::move(own));
    const auto [it, added] = tagged_rows_.try_emplace({sample.stack.value, tags.value}, 0);
    if (added)
      it->second = AddRow(sample.stack, tags);
    return it->second;
  }

  uint32_t AddRow(model::StackIndex stack, TagSetId tags) {
    stack_.clear();
    const model::Slice locations = dictionary_.stacks[stack.value].locations;
    stack_.reserve(locations.count);
    for (uint32_t i = locations.end(); i-- > locations.begin;) {
      const model::LocationIndex location = dictionary_.location_indices[i];
      // Most locations have one frame.
      if (const FrameId only = only_frames_[location.value]; only.value != kNotOne) [[likely]] {
        stack_.push_back(only);
        continue;
      }
      const std::span<const FrameId> frames = FramesOf(location);
      if (frames.size() == 1)
        only_frames_[location.value] = frames[0];
      for (const FrameId frame : frames)
        stack_.push_back(frame);
    }
    if (stack_.empty()) {
      FrameTable& table = to_.set_.table;
      stack_.push_back(table.AddFrame({.function = table.AddText(kNoStackFrame)}));
    }
    if (to_.options_.keeps_rows_apart)
      tags = to_.WithRowNumber(tags);
    return to_.Row(stack_, tags);
  }

  // The functions at one location, the physical caller first.
  std::span<const FrameId> FramesOf(model::LocationIndex index) {
    model::Slice& known = location_frames_[index.value];
    if (known.count != 0)
      return model::In(frames_, known);
    const auto lines = model::In(dictionary_.lines, dictionary_.locations[index.value].lines);
    known.begin = static_cast<uint32_t>(frames_.size());
    if (lines.empty())
      frames_.push_back(AddFrame({.location = index, .function = {}, .filename = {}}));
    for (size_t i = lines.size(); i-- > 0;) {
      const model::Function& function = dictionary_.functions[lines[i].function.value];
      frames_.push_back(AddFrame({.location = index,
                                  .function = lines[i].function,
                                  .filename = dictionary_.Text(function.filename),
                                  .line = lines[i].line,
                                  .is_inlined = i + 1 < lines.size()}));
    }
    known.count = static_cast<uint32_t>(frames_.size()) - known.begin;
    return model::In(frames_, known);
  }

  FrameId AddFrame(const model::Frame& frame) {
    const TextId function = NameOf(frame);
    const TextId file = frame.filename.empty()
                            ? TextId{}
                            : TextOf(dictionary_.functions[frame.function.value].filename);
    if (to_.options_.keeps_places && file.value != 0)
      KeepPlace(frame, &to_.set_.places[{function.value, file.value}]);
    return to_.set_.table.AddFrame(
        {.function = function,
         .file = file,
         .module = ModuleOf(frame),
         .type = TypeOf(frame.location),
         .line = frame.line,
         .is_inlined = frame.is_inlined,
         .is_internal = model::IsInternalFrame(dictionary_, frame.location)});
  }

  void KeepPlace(const model::Frame& frame, FunctionPlace* place) const {
    if (place->start_line == 0)
      place->start_line = dictionary_.functions[frame.function.value].start_line;
    if (!place->build_id.empty())
      return;
    const model::MappingIndex mapping = dictionary_.locations[frame.location.value].mapping;
    const symbol::Module module =
        symbol::ModuleOf(dictionary_, dictionary_.mappings[mapping.value]);
    place->build_id = symbol::IdText(module.ids, symbol::IdKind::kGnu);
  }

  // The same as model::FrameName.
  TextId NameOf(const model::Frame& frame) {
    const model::Function& function = dictionary_.functions[frame.function.value];
    for (const model::StringIndex name : {function.name, function.system_name}) {
      if (const TextId text = TextOf(name); text.value != 0)
        return text;
    }
    return to_.set_.table.AddText(model::FrameName(dictionary_, frame));
  }

  TextId ModuleOf(const model::Frame& frame) {
    TextId& known = modules_[dictionary_.locations[frame.location.value].mapping.value];
    if (known.value == kNotKnown)
      known = to_.set_.table.AddText(model::ModuleName(dictionary_, frame));
    return known;
  }

  // Most frames have the same type as the previous one.
  TextId TypeOf(model::LocationIndex location) {
    const std::string_view type = model::FrameType(dictionary_, location);
    if (to_.set_.table.Text(last_type_) != type)
      last_type_ = to_.set_.table.AddText(type);
    return last_type_;
  }

  // Looks up each string by content once.
  TextId TextOf(model::StringIndex string) {
    TextId& known = texts_[string.value];
    if (known.value == kNotKnown)
      known = to_.set_.table.AddText(dictionary_.Text(string));
    return known;
  }

  void AppendTags(model::Slice attributes, std::vector<Tag>* tags) {
    if (!to_.has_tags())
      return;
    for (const model::AttributeIndex index : model::In(dictionary_.attribute_indices, attributes)) {
      CachedTags& cached = tags_of_attribute_[index.value];
      if (!cached.is_known) {
        const model::Attribute& attribute = dictionary_.attributes[index.value];
        AppendTag(dictionary_.Text(attribute.key), attribute.value, &cached.tags);
        for (const Tag& tag : cached.tags)
          TakeUnit(tag.key, dictionary_.Text(attribute.unit));
        cached.is_known = true;
      }
      tags->insert(tags->end(), cached.tags.begin(), cached.tags.end());
    }
  }

  void TakeUnit(TextId key, std::string_view unit) {
    std::vector<TagUnit>& known = to_.set_.tag_units;
    if (!unit.empty() && std::ranges::find(known, key, &TagUnit::key) == known.end())
      known.push_back({.key = key, .unit = to_.set_.table.AddText(unit)});
  }

  void AppendTag(std::string_view key, const model::AnyValue& value, std::vector<Tag>* tags) {
    FrameTable& table = to_.set_.table;
    bool is_kept = false;
    for (const std::string& wanted : to_.options_.tag_keys) {
      if (!model::SameAttributeKey(wanted, key))
        continue;
      is_kept = is_kept || wanted == key;
      tags->push_back({.key = table.AddText(wanted),
                       .value = table.AddText(model::AttributeText(dictionary_, value))});
    }
    if (to_.options_.keeps_all_tags && !is_kept) {
      tags->push_back({.key = table.AddText(key),
                       .value = table.AddText(model::AttributeText(dictionary_, value))});
    }
  }

  static constexpr uint32_t kNotOne = UINT32_MAX;
  static constexpr uint32_t kNotKnown = UINT32_MAX;

  struct CachedTags {
    bool is_known = false;
    std::vector<Tag> tags;
  };

  const model::Batch& batch_;
  const model::Dictionary& dictionary_;
  StackSetBuilder& to_;
  std::vector<FrameId> frames_;                // of all locations, back to back
  std::vector<model::Slice> location_frames_;  // in frames_; empty: not looked up yet
  // Of locations with a single frame; kNotOne: several, or not looked up yet.
  std::vector<FrameId> only_frames_;
  std::vector<TextId> texts_;    // by string
  std::vector<TextId> modules_;  // by mapping
  TextId last_type_;
  std::vector<CachedTags> tags_of_attribute_;
  std::vector<uint32_t> untagged_rows_;  // by stack; kNone: not looked up yet
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> tagged_rows_;  // by stack and tags
  std::vector<FrameId> stack_;                                                // scratch
};

StackSetBuilder::StackSetBuilder(StackSetOptions options) : options_(std::move(options)) {}

absl::Status StackSetBuilder::Add(const model::Batch& batch, const model::SampleTypeView& type) {
  return Add(batch, type, nullptr);
}

absl::Status StackSetBuilder::Add(const model::Batch& batch, const model::SampleTypeView& type,
                                  RowsOfSamples* rows) {
  if (rows != nullptr) {
    rows->rows.resize(batch.samples.size(), RowsOfSamples::kNone);
    rows->factors.resize(batch.profiles.size(), 1);
  }
  FLARE_RETURN_IF_ERROR(TakeType(batch, type));
  BatchReader reader(batch, this);
  std::vector<bool> is_wanted(batch.profiles.size(), false);
  for (const uint32_t profile : type.profiles)
    is_wanted[profile] = true;
  for (const model::Resource& resource : batch.resources) {
    std::optional<BatchReader::Origin> origin;  // unset for a resource without a wanted profile
    for (const model::Scope& scope : model::In(batch.scopes, resource.scopes)) {
      for (uint32_t i = scope.profiles.begin; i < scope.profiles.end(); ++i) {
        if (!is_wanted[i])
          continue;
        if (!origin.has_value())
          origin = {.tags = reader.TagsOf(resource), .instance = InstanceOf(batch, resource)};
        FLARE_RETURN_IF_ERROR(reader.AddProfile(batch.profiles[i], *origin, rows));
        CountProfile(batch.profiles[i], origin->instance);
        if (averages_)
          CountSnapshot(scope, batch.profiles[i], origin->instance);
      }
    }
  }
  return absl::OkStatus();
}

absl::Status StackSetBuilder::TakeType(const model::Batch& batch,
                                       const model::SampleTypeView& type) {
  std::string unit(type.unit);
  const model::Profile* first =
      type.profiles.empty() ? nullptr : &batch.profiles[type.profiles.front()];
  if (first != nullptr && set_.period == 0 && first->period > 0) {
    set_.period = first->period;
    set_.period_type = batch.dictionary.Text(first->period_type.type);
    set_.period_unit = batch.dictionary.Text(first->period_type.unit);
  }
  if (options_.in_period_units && unit == kCountUnit && first != nullptr && first->period > 0) {
    const std::string_view period_unit = batch.dictionary.Text(first->period_type.unit);
    if (!period_unit.empty() && period_unit != kCountUnit)
      unit = period_unit;
  }
  if (!has_type_) {
    has_type_ = true;
    averages_ = !options_.has_averages && model::IsGaugeType(type.type);
    set_.type = options_.type_name.empty()
                    ? std::string(type.type)
                    : options_.type_name.substr(0, options_.type_name.find(':'));
    set_.unit = unit;
  } else if ((options_.type_name.empty() && set_.type != type.type) || set_.unit != unit) {
    return absl::InvalidArgumentError(base::StrCat(
        "its values are ", type.type, "/", unit, ", those before it ", set_.type, "/", set_.unit));
  }
  return absl::OkStatus();
}

uint32_t StackSetBuilder::Row(std::span<const FrameId> frames, TagSetId tags) {
  const auto next = static_cast<uint32_t>(set_.rows.size());
  const uint64_t hash = base::Mix64(base::Hash64(frames.data(), frames.size_bytes()), tags.value);
  const uint32_t row = known_rows_.FindOrAdd(hash, next, [&](uint32_t at) {
    return set_.rows[at].tags == tags && std::ranges::equal(set_.FramesOf(set_.rows[at]), frames);
  });
  if (row == next) {
    set_.rows.push_back({.frames = {.begin = static_cast<uint32_t>(set_.stack_frames.size()),
                                    .count = static_cast<uint32_t>(frames.size())},
                         .tags = tags});
    set_.stack_frames.insert(set_.stack_frames.end(), frames.begin(), frames.end());
  }
  return row;
}

// The order of attributes is irrelevant, and duplicates count once.
TagSetId StackSetBuilder::TagSet(std::vector<Tag> tags) {
  if (tags.empty())
    return {};
  std::ranges::sort(tags, {}, [](const Tag& tag) { return std::pair(tag.key, tag.value); });
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  const auto next = static_cast<uint32_t>(set_.tag_sets.size());
  const uint64_t hash = base::Hash64(tags.data(), tags.size() * sizeof(Tag));
  const uint32_t id = known_tag_sets_.FindOrAdd(hash, next, [&](uint32_t at) {
    return std::ranges::equal(model::In(set_.tags, set_.tag_sets[at]), tags);
  });
  if (id == next) {
    set_.tag_sets.push_back({.begin = static_cast<uint32_t>(set_.tags.size()),
                             .count = static_cast<uint32_t>(tags.size())});
    set_.tags.insert(set_.tags.end(), tags.begin(), tags.end());
  }
  return {id};
}

TagSetId StackSetBuilder::WithRowNumber(TagSetId tags) {
  const auto of_row = model::In(set_.tags, set_.tag_sets[tags.value]);
  std::vector<Tag> with_number(of_row.begin(), of_row.end());
  with_number.push_back({.key = set_.table.AddText(kRowKey),
                         .value = set_.table.AddText(std::to_string(set_.rows.size()))});
  return TagSet(std::move(with_number));
}

std::vector<uint32_t> RowsLeft(const StackSet& set) {
  std::vector<uint32_t> numbers;
  for (const StackRow& row : set.rows) {
    for (const Tag& tag : set.TagsOf(row)) {
      if (set.table.Text(tag.key) == kRowKey)
        numbers.push_back(
            static_cast<uint32_t>(std::stoul(std::string(set.table.Text(tag.value)))));
    }
  }
  return numbers;
}

absl::Status StackSetBuilder::CheckLimits() const {
  if (set_.stack_frames.size() > options_.frames_max) {
    return absl::ResourceExhaustedError(
        base::StrCat("the distinct stacks have more than ", options_.frames_max, " frames"));
  }
  if (set_.parts.size() > options_.parts_max) {
    return absl::ResourceExhaustedError(base::StrCat(
        "the instances have more than ", options_.parts_max, " distinct stacks together"));
  }
  return absl::OkStatus();
}

void StackSetBuilder::CountProfile(const model::Profile& profile, uint32_t instance) {
  set_.duration_nanos += profile.duration_nano;
  ++set_.profile_count;
  if (tells_instances_apart())
    set_.instances[instance].duration_nanos += profile.duration_nano;
}

void StackSetBuilder::CountSnapshot(const model::Scope& scope, const model::Profile& profile,
                                    uint32_t instance) {
  const uint64_t name = base::Hash64(scope.name.data(), scope.name.size());
  const uint64_t series = base::Mix64(name, static_cast<uint64_t>(profile.period));
  ++snapshots_[{instance, series}];
}

uint32_t StackSetBuilder::InstanceOf(const model::Batch& batch, const model::Resource& resource) {
  if (!tells_instances_apart())
    return 0;
  std::string identity = InstanceIdentity(batch.dictionary, resource);
  if (identity.empty())
    identity = base::StrCat("input ", input_number_);
  const auto next = static_cast<uint32_t>(set_.instances.size());
  const auto [it, added] = known_instances_.try_emplace(std::move(identity), next);
  if (added)
    set_.instances.push_back({.identity = it->first});
  return it->second;
}

void StackSetBuilder::AddPart(uint32_t row, uint32_t instance, int64_t value) {
  const auto next = static_cast<uint32_t>(set_.parts.size());
  const auto [it, added] = known_parts_.try_emplace({row, instance}, next);
  if (added) {
    const uint32_t before = std::exchange(set_.rows[row].first_part, next);
    set_.parts.push_back({.instance = instance, .next = before});
  }
  InstancePart& part = set_.parts[it->second];
  part.value = base::SaturatingAdd(part.value, value);
}

// Sorts by identity, so that the order of the inputs makes no difference.
void StackSetBuilder::SortInstances() {
  std::vector<uint32_t> order(set_.instances.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {},
                    [&](uint32_t i) -> const std::string& { return set_.instances[i].identity; });
  std::vector<uint32_t> place(order.size());
  std::vector<Instance> sorted;
  for (const uint32_t from : order) {
    place[from] = static_cast<uint32_t>(sorted.size());
    sorted.push_back(std::move(set_.instances[from]));
  }
  set_.instances = std::move(sorted);
  for (InstancePart& part : set_.parts)
    part.instance = place[part.instance];
}

// Averages the parts of each instance over its snapshots.
void StackSetBuilder::AverageSnapshots() {
  std::vector<uint64_t> counts(set_.instances.size(), 1);
  for (const auto& [instance_and_series, count] : snapshots_) {
    uint64_t& most = counts[instance_and_series.first];
    most = std::max(most, count);
  }
  for (StackRow& row : set_.rows) {
    row.value = 0;
    for (uint32_t i = row.first_part; i != InstancePart::kNone; i = set_.parts[i].next) {
      InstancePart& part = set_.parts[i];
      const auto count = static_cast<double>(counts[part.instance]);
      if (count > 1)
        part.value = static_cast<int64_t>(std::llround(static_cast<double>(part.value) / count));
      row.value = base::SaturatingAdd(row.value, part.value);
    }
    if (!options_.by_instance)
      row.first_part = InstancePart::kNone;
  }
  if (!options_.by_instance) {
    set_.instances.clear();
    set_.parts.clear();
  }
}

StackSet StackSetBuilder::Finish() && {
  if (averages_)
    AverageSnapshots();
  SortInstances();
  std::erase_if(set_.rows, [](const StackRow& row) { return row.value == 0; });
  return std::move(set_);
}

}  // namespace flarestack::query
