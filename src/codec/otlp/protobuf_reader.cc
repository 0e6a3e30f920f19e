// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/protobuf_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/text.h"
#include "codec/otlp/old_layouts.h"
#include "codec/otlp/protobuf_decoder.h"

namespace flarestack::codec::otlp {
namespace {

absl::Status StatusOf(const ProtobufDecoder& decoder, const Limits& limits,
                      std::string_view bytes) {
  if (decoder.fault().is_set()) {
    const auto offset = decoder.fault().at - bytes.data();
    return absl::InvalidArgumentError(
        base::StrCat("not an OTLP profiles message: ", decoder.fault().what, " at byte ", offset));
  }
  if (decoder.limit_met() == ProtobufState::kMemory)
    return MemoryLimitError(limits.memory_bytes_max);
  if (decoder.limit_met() != nullptr) {
    return absl::ResourceExhaustedError(base::StrCat(
        "too many ", decoder.limit_met(), ": at most ", limits.table_entries_max,
        " entries in a table, ", limits.samples_max, " samples, ", limits.list_elements_max,
        " list elements and ", limits.nesting_max, " levels are taken"));
  }
  return absl::OkStatus();
}

// Samples with as many entries in field 2 as timestamps, and no values: attributes of today or
// values of 1.9? They are values when one is no attribute at all, is the reserved entry, or stands
// twice in one sample. Attributes of samples are referred to by nothing else, so one that only
// samples name is a true attribute; entries that all belong to mappings and locations anyway are
// small numbers that happen to be in range.
bool Field2HoldsValues(const model::Batch& batch) {
  const model::Dictionary& tables = batch.dictionary;
  std::vector<bool> used_elsewhere(tables.attributes.size(), false);
  const auto mark = [&](model::Slice slice) {
    for (const model::AttributeIndex index : model::In(tables.attribute_indices, slice)) {
      if (index.value < used_elsewhere.size())
        used_elsewhere[index.value] = true;
    }
  };
  for (const model::Mapping& mapping : tables.mappings)
    mark(mapping.attributes);
  for (const model::Location& location : tables.locations)
    mark(location.attributes);
  for (const model::Profile& profile : batch.profiles)
    mark(profile.attributes);
  bool all_used_elsewhere = true;
  for (const model::Sample& sample : batch.samples) {
    const auto span = model::In(tables.attribute_indices, sample.attributes);
    std::vector<model::AttributeIndex> indices(span.begin(), span.end());
    std::ranges::sort(indices);
    for (size_t i = 0; i < indices.size(); ++i) {
      const uint32_t index = indices[i].value;
      if (index == 0 || index >= tables.attributes.size() ||
          (i > 0 && indices[i] == indices[i - 1]))
        return true;
      all_used_elsewhere = all_used_elsewhere && used_elsewhere[index];
    }
  }
  return all_used_elsewhere;
}

// Leaves the dictionary. What samples and profiles had put into its list of attributes was perhaps
// no attribute.
void ForgetProfiles(model::Batch* batch) {
  std::vector<model::AttributeIndex>& indices = batch->dictionary.attribute_indices;
  const auto forget = [&](model::Slice slice) {
    std::fill_n(indices.begin() + slice.begin, slice.count, model::AttributeIndex{});
  };
  for (const model::Sample& sample : batch->samples)
    forget(sample.attributes);
  for (const model::Profile& profile : batch->profiles)
    forget(profile.attributes);
  batch->ClearProfiles();
}

// The comments of 1.8 as the attribute that took their place.
void AttachComments(const std::vector<Comment18>& comments, model::Batch* batch) {
  model::Dictionary& tables = batch->dictionary;
  for (const Comment18& comment : comments) {
    const model::Slice nodes = {.begin = static_cast<uint32_t>(tables.nodes.size()),
                                .count = static_cast<uint32_t>(comment.strings.size())};
    for (const model::StringIndex text : comment.strings) {
      tables.nodes.push_back(
          {.key = {}, .key_index = {}, .value = model::AnyValue::Reference(text)});
    }
    const model::StringIndex key = {static_cast<uint32_t>(tables.strings.size())};
    tables.strings.push_back("pprof.profile.comment");
    const model::AttributeIndex attribute = {static_cast<uint32_t>(tables.attributes.size())};
    tables.attributes.push_back({.key = key, .unit = {}, .value = model::AnyValue::Array(nodes)});
    model::Slice& list = batch->profiles[comment.profile].attributes;
    const auto old = model::In(tables.attribute_indices, list);
    std::vector<model::AttributeIndex> longer(old.begin(), old.end());
    longer.push_back(attribute);
    list = {.begin = static_cast<uint32_t>(tables.attribute_indices.size()),
            .count = static_cast<uint32_t>(longer.size())};
    tables.attribute_indices.insert(tables.attribute_indices.end(), longer.begin(), longer.end());
  }
}

}  // namespace

absl::StatusOr<Layout> DecodeProtobuf(std::string_view bytes, const Limits& limits,
                                      model::Batch* batch, ReservedEntries reserved) {
  batch->Clear();
  ProtobufDecoder decoder(Layout::k110, limits, batch);
  decoder.DecodeMessage(bytes);
  Layout layout = JudgeLayout(decoder.clues());
  if (layout == Layout::k110 && decoder.ambiguous_samples() > 0 &&
      !decoder.has_unambiguous_attributes() && !decoder.fault().is_set() &&
      Field2HoldsValues(*batch)) {
    layout = Layout::k19;
  }
  switch (layout) {
    case Layout::k110:
      FLARE_RETURN_IF_ERROR(StatusOf(decoder, limits, bytes));
      break;
    case Layout::k18:
    case Layout::k19: {
      ProtobufDecoder older(layout, limits, batch);
      if (StatusOf(decoder, limits, bytes).ok()) {
        ForgetProfiles(batch);
        older.DecodeProfilesAgain(bytes);
      } else {  // a payload of 1.8 read as a list, perhaps
        batch->Clear();
        older.DecodeMessage(bytes);
      }
      FLARE_RETURN_IF_ERROR(StatusOf(older, limits, bytes));
      EnsureReservedEntries(&batch->dictionary);
      AttachComments(older.comments(), batch);
      break;
    }
    case Layout::kUpTo15:
    case Layout::k16:
    case Layout::k17: {
      if (bytes.size() > limits.memory_bytes_max / kOldLayoutBytesPerByte)
        return MemoryLimitError(limits.memory_bytes_max);
      FLARE_ASSIGN(*batch, DecodeOldLayout(bytes, layout, limits));
      break;
    }
    case Layout::kNewer:
      return absl::InvalidArgumentError(
          base::StrCat("OTLP profiles of a layout newer than this program knows (",
                       DescribeClues(decoder.clues()),
                       "); versions up to 1.11 of opentelemetry-proto are read"));
  }
  if (layout != Layout::k110 || reserved == ReservedEntries::kAdded)
    EnsureReservedEntries(&batch->dictionary);
  return layout;
}

absl::StatusOr<Clues> DecodeAsTodaysLayout(std::string_view bytes, const Limits& limits,
                                           model::Batch* batch, ReservedEntries reserved) {
  batch->Clear();
  ProtobufDecoder decoder(Layout::k110, limits, batch);
  decoder.DecodeMessage(bytes);
  FLARE_RETURN_IF_ERROR(StatusOf(decoder, limits, bytes));
  if (reserved == ReservedEntries::kAdded)
    EnsureReservedEntries(&batch->dictionary);
  return decoder.clues();
}

}  // namespace flarestack::codec::otlp
