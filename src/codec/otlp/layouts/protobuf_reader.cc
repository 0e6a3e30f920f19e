// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/layouts/protobuf_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/otlp/layouts/layout_fit.h"
#include "codec/otlp/layouts/old_layouts.h"
#include "codec/otlp/profiles/protobuf_decoder.h"

namespace flarestack::codec::otlp {
namespace {

absl::Status StatusOf(const ProtobufDecoder& decoder, const Limits& limits,
                      std::string_view bytes) {
  if (decoder.fault().is_set()) {
    const auto offset = decoder.fault().at - bytes.data();
    return absl::InvalidArgumentError(
        base::StrCat("not an OTLP profiles message: ", decoder.fault().what, " at byte ", offset));
  }
  if (decoder.limit_reached() == ProtobufState::kMemory)
    return MemoryLimitError(limits.memory_bytes_max);
  if (decoder.limit_reached() != nullptr) {
    return absl::ResourceExhaustedError(base::StrCat(
        "too many ", decoder.limit_reached(), ": at most ", limits.table_entries_max,
        " entries in a table, ", limits.samples_max, " samples, ", limits.list_elements_max,
        " list elements and ", limits.nesting_max, " levels are allowed"));
  }
  return absl::OkStatus();
}

// Whether samples refer to existing table entries, as in the current layout. Values of 1.9 that are
// read as attributes rarely do.
bool SamplesFitTables(const model::Batch& batch) {
  const model::Dictionary& tables = batch.dictionary;
  std::vector<model::AttributeIndex> indices;
  return std::ranges::all_of(batch.samples, [&](const model::Sample& sample) {
    if (sample.link.value >= std::max<size_t>(tables.links.size(), 1))
      return false;
    const auto span = model::In(tables.attribute_indices, sample.attributes);
    indices.assign(span.begin(), span.end());
    std::ranges::sort(indices);
    return std::ranges::adjacent_find(indices) == indices.end() &&
           (indices.empty() ||
            (indices.front().value != 0 && indices.back().value < tables.attributes.size()));
  });
}

// Clears everything except the dictionary. Resets the attribute indices that samples and profiles
// added, because they may not have been attributes.
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

// Adds the comments of 1.8 as the attribute that replaced them.
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
  Layout layout = Layout::k110;
  if (decoder.has_foreign_fields() || decoder.has_odd_values() || decoder.fault().is_set() ||
      (decoder.has_doubtful_samples() && !SamplesFitTables(*batch))) {
    const absl::StatusOr<Layout> judged = JudgeLayout(bytes);
    if (!judged.ok()) {
      FLARE_RETURN_IF_ERROR(StatusOf(decoder, limits, bytes));
      return judged.status();
    }
    layout = *judged;
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
      } else {  // perhaps a payload of 1.8 read as a list
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
  }
  if (layout != Layout::k110 || reserved == ReservedEntries::kAdded)
    EnsureReservedEntries(&batch->dictionary);
  return layout;
}

absl::Status DecodeAsTodaysLayout(std::string_view bytes, const Limits& limits, model::Batch* batch,
                                  ReservedEntries reserved) {
  batch->Clear();
  ProtobufDecoder decoder(Layout::k110, limits, batch);
  decoder.DecodeMessage(bytes);
  FLARE_RETURN_IF_ERROR(StatusOf(decoder, limits, bytes));
  if (reserved == ReservedEntries::kAdded)
    EnsureReservedEntries(&batch->dictionary);
  return absl::OkStatus();
}

}  // namespace flarestack::codec::otlp
