// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/otlp_samples.h"

#include <algorithm>
#include <string>

#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "codec/pprof/label_values.h"
#include "codec/pprof/message/mapping_keys.h"

namespace flarestack::codec::pprof {
namespace {

using base::StrCat;

bool IsZero(std::string_view id) { return id.find_first_not_of('\0') == std::string_view::npos; }

Label TextLabel(std::string_view key, std::string_view text) {
  return {.key = key, .is_number = false, .text = text, .number = 0, .unit = {}};
}

Label NumberLabel(std::string_view key, uint64_t number, std::string_view unit) {
  return {.key = key,
          .is_number = true,
          .text = {},
          .number = static_cast<int64_t>(number),
          .unit = unit};
}

bool IsLinkKey(const Label& label) {
  return label.key == kTraceIdLabel || label.key == kSpanIdLabel;
}

// Labels that would be read back as a link. Both are null if there are none.
struct Lookalike {
  Label* trace = nullptr;
  Label* span = nullptr;
};

Lookalike FindLookalike(std::vector<Label>* labels) {
  Lookalike found;
  for (Label& label : *labels) {
    if (label.key == kTraceIdLabel)
      found.trace = &label;
    if (label.key == kSpanIdLabel)
      found.span = &label;
  }
  if (found.trace == nullptr || found.span == nullptr ||
      !IsHexId(found.trace->text, kTraceIdBytes) || !IsHexId(found.span->text, kSpanIdBytes)) {
    return {};
  }
  return found;
}

}  // namespace

absl::Status OtlpSamples::Collect(const FromOtlpOptions& options, TableWriter* tables,
                                  base::Warnings* warnings) {
  FLARE_RETURN_IF_ERROR(rows_.Collect(options, warnings));
  is_plain_ = options.plain;
  labels_of_attribute_.resize(dictionary_.attributes.size());
  link_texts_.resize(dictionary_.links.size());
  location_positions_.resize(dictionary_.locations.size());
  for (uint32_t i = 1; i < location_positions_.size(); ++i)
    location_positions_[i] = tables->PositionOf(model::LocationIndex{i});
  bool is_empty_location_known =
      std::ranges::find(dictionary_.location_indices, model::LocationIndex{}) ==
      dictionary_.location_indices.end();
  for (size_t i = 0; i < rows_.size(); ++i) {
    const RowView row = rows_.At(i);
    const model::Slice stack = dictionary_.stacks[row.sample->stack.value].locations;
    location_count_ += stack.count;
    if (!is_empty_location_known &&
        std::ranges::count(model::In(dictionary_.location_indices, stack), model::LocationIndex{}) >
            0) {
      location_positions_[0] = tables->PositionOf(model::LocationIndex{});
      is_empty_location_known = true;
    }
    PrepareLabels(row, warnings);
  }
  return absl::OkStatus();
}

// Prepares all text that the labels of this row may need.
void OtlpSamples::PrepareLabels(const RowView& row, base::Warnings* warnings) {
  bool has_link_keys = false;
  for (const model::AttributeIndex index :
       model::In(dictionary_.attribute_indices, row.sample->attributes)) {
    std::vector<Label>& labels = labels_of_attribute_[index.value];
    if (labels.empty())
      AppendLabels(dictionary_, dictionary_.attributes[index.value], &arena_, &labels);
    has_link_keys = has_link_keys || std::ranges::any_of(labels, IsLinkKey);
  }
  if (row.sample->link) {
    PrepareLink(row.sample->link, warnings);
    return;
  }
  if (!has_link_keys)
    return;
  std::vector<Label> labels;
  AppendAttributeLabels(*row.sample, &labels);
  const Lookalike found = FindLookalike(&labels);
  for (const Label* label : {found.trace, found.span}) {
    if (label != nullptr && !escaped_.contains(label->text))
      escaped_.emplace(label->text, arena_.Copy(EscapeText(label->text)));
  }
}

void OtlpSamples::PrepareLink(model::LinkIndex index, base::Warnings* warnings) {
  const model::Link& link = dictionary_.links[index.value];
  LinkText& text = link_texts_[index.value];
  if (!text.is_known) {
    text.is_known = true;
    text.is_whole = link.trace_id.size() == kTraceIdBytes && link.span_id.size() == kSpanIdBytes &&
                    !IsZero(link.trace_id) && !IsZero(link.span_id);
    text.trace_id = arena_.Copy(base::HexEncode(link.trace_id));
    text.span_id = arena_.Copy(base::HexEncode(link.span_id));
    text.both = arena_.Copy(StrCat(text.trace_id, "-", text.span_id));
  }
  if (!text.is_whole) {
    warnings->Add("a link whose ids are not 16 and 8 bytes, or all zero; omitted",
                  StrCat(text.trace_id, "-", text.span_id));
  }
}

// Returns whether a label has a key that is reserved for a link.
bool OtlpSamples::AppendAttributeLabels(const model::Sample& sample,
                                        std::vector<Label>* out) const {
  bool has_link_keys = false;
  for (const model::AttributeIndex index :
       model::In(dictionary_.attribute_indices, sample.attributes)) {
    const std::vector<Label>& labels = labels_of_attribute_[index.value];
    has_link_keys = has_link_keys || std::ranges::any_of(labels, IsLinkKey);
    out->insert(out->end(), labels.begin(), labels.end());
  }
  return has_link_keys;
}

void OtlpSamples::AppendLink(model::LinkIndex link, bool keys_are_taken,
                             std::vector<Label>* out) const {
  const LinkText& text = link_texts_[link.value];
  if (!text.is_whole)
    return;
  if (keys_are_taken) {
    out->push_back(TextLabel(kLinkLabel, text.both));
    return;
  }
  out->push_back(TextLabel(kTraceIdLabel, text.trace_id));
  out->push_back(TextLabel(kSpanIdLabel, text.span_id));
}

std::span<const Label> OtlpSamples::LabelsOf(size_t sample, SampleRoom* room) const {
  const RowView row = rows_.At(sample);
  std::vector<Label>& out = room->labels;
  out.clear();
  const bool has_link_keys = AppendAttributeLabels(*row.sample, &out);
  if (row.sample->link) {
    AppendLink(row.sample->link, has_link_keys, &out);
  } else if (has_link_keys) {
    // Escape attributes that would be read back as a link although the sample has none.
    const Lookalike found = FindLookalike(&out);
    for (Label* label : {found.trace, found.span}) {
      if (label != nullptr)
        label->text = escaped_.at(label->text);
    }
  }
  if (row.has_time) {
    out.push_back(
        NumberLabel(row.is_event ? kEventLabel : kTimestampLabel, row.time_unix_nano, kTimeUnit));
  }
  if (adds_up_ || is_plain_)
    return out;
  if (bundles_.bundles.size() > 1)
    out.push_back(NumberLabel(kBundleLabel, row.group, {}));
  if (!row.has_all_columns)
    AppendAbsentColumns(sample, row, room);
  return out;
}

void OtlpSamples::AppendAbsentColumns(size_t sample, const RowView& row, SampleRoom* room) const {
  std::vector<bool> has_column;
  rows_.Values(sample, &room->values, &has_column);
  const std::vector<uint32_t>& profiles = bundles_.bundles[row.group].profile_columns;
  for (uint32_t column = 0; column < profiles.size(); ++column) {
    if (profiles[column] != kNoProfile && !has_column[column])
      room->labels.push_back(NumberLabel(kAbsentLabel, column, kColumnUnit));
  }
}

SampleView OtlpSamples::At(size_t sample, SampleRoom* room) const {
  LabelsOf(sample, room);
  rows_.Values(sample, &room->values, nullptr);
  const RowView row = rows_.At(sample);
  const auto stack = model::In(dictionary_.location_indices,
                               dictionary_.stacks[row.sample->stack.value].locations);
  room->locations.resize(stack.size());
  for (size_t i = 0; i < stack.size(); ++i)
    room->locations[i] = location_positions_[stack[i].value];
  return {.locations = room->locations, .values = room->values, .labels = room->labels};
}

}  // namespace flarestack::codec::pprof
