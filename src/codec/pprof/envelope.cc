// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/envelope.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status.h"
#include "codec/otlp/profiles/json_reader.h"
#include "codec/otlp/profiles/json_writer.h"
#include "codec/pprof/message/mapping_keys.h"
#include "model/builder/batch_builder.h"
#include "model/validation/validate.h"

namespace flarestack::codec::pprof {
namespace {

using model::AnyValue;

// pprof shows the column named by default_sample_type, else the last one.
size_t DefaultColumn(const Profile& profile) {
  for (size_t i = 0; i < profile.sample_types.size(); ++i) {
    if (!profile.default_sample_type.empty() &&
        profile.sample_types[i].type == profile.default_sample_type)
      return i;
  }
  return profile.sample_types.size() - 1;
}

// Puts the default column first, as OTLP wants it, and the first column last. Converters that do
// not know kSampleTypeOrderKey swap the first and the last profile; they then get the columns in
// their order with the default last, where pprof expects it.
std::vector<size_t> DefaultFirst(const Profile& profile) {
  std::vector<size_t> order;
  if (profile.sample_types.empty())
    return order;
  const size_t shown = DefaultColumn(profile);
  for (size_t i = 0; i < profile.sample_types.size(); ++i) {
    if (i != shown)
      order.push_back(i);
  }
  order.push_back(shown);
  std::swap(order.front(), order.back());
  return order;
}

template <typename T>
AnyValue IntArray(const std::vector<T>& numbers, model::DictionaryBuilder* dictionary) {
  std::vector<model::KeyValue> nodes;
  nodes.reserve(numbers.size());
  for (const T number : numbers) {
    nodes.push_back(
        {.key = {}, .key_index = {}, .value = AnyValue::Int(static_cast<int64_t>(number))});
  }
  return AnyValue::Array(dictionary->Nodes(nodes));
}

model::Scope ScopeOf(const Profile& profile, const EntryIds& ids, const std::vector<size_t>& order,
                     model::DictionaryBuilder* dictionary) {
  std::vector<model::KeyValue> attributes;
  const auto add = [&](std::string_view key, const AnyValue& value) {
    attributes.push_back({.key = {}, .key_index = dictionary->String(key), .value = value});
  };
  if (!profile.default_sample_type.empty()) {
    add(kDefaultSampleTypeKey,
        AnyValue::Reference(dictionary->String(profile.default_sample_type)));
  }
  if (order.size() > 1)
    add(kSampleTypeOrderKey, IntArray(order, dictionary));
  if (!ids.mappings.empty())
    add(kMappingIdsKey, IntArray(ids.mappings, dictionary));
  if (!ids.locations.empty())
    add(kLocationIdsKey, IntArray(ids.locations, dictionary));
  if (!ids.functions.empty())
    add(kFunctionIdsKey, IntArray(ids.functions, dictionary));
  model::Scope scope;
  scope.present = !attributes.empty();
  scope.attributes = dictionary->Nodes(attributes);
  return scope;
}

model::Slice ProfileAttributes(const Profile& profile, model::DictionaryBuilder* dictionary) {
  std::vector<model::AttributeIndex> attributes;
  std::vector<model::KeyValue> comments;
  for (const std::string_view comment : profile.comments) {
    if (IsEnvelope(comment))
      continue;
    comments.push_back(
        {.key = {}, .key_index = {}, .value = AnyValue::String(dictionary->Keep(comment))});
  }
  if (!comments.empty()) {
    attributes.push_back(
        dictionary->Attribute(kCommentKey, AnyValue::Array(dictionary->Nodes(comments))));
  }
  const auto add_text = [&](std::string_view key, std::string_view text) {
    if (!text.empty())
      attributes.push_back(dictionary->Attribute(key, AnyValue::String(text)));
  };
  add_text(kDropFramesKey, profile.drop_frames);
  add_text(kKeepFramesKey, profile.keep_frames);
  add_text(kDocUrlKey, profile.doc_url);
  return dictionary->AttributeList(attributes);
}

}  // namespace

absl::StatusOr<model::Batch> ImpliedEnvelope(const Profile& profile, const EntryIds& ids) {
  model::BatchBuilder builder(model::Grouping::kNone);
  model::DictionaryBuilder& dictionary = builder.dictionary();
  const auto type_of = [&](const ValueType& type) {
    return model::ValueType{.type = dictionary.String(type.type),
                            .unit = dictionary.String(type.unit)};
  };
  const std::vector<size_t> order = DefaultFirst(profile);
  const model::ScopeId scope =
      builder.AddScope(builder.AddResource({}), ScopeOf(profile, ids, order, &dictionary));
  model::Profile fields;
  fields.time_unix_nano = static_cast<uint64_t>(profile.time_nanos);
  fields.duration_nano = static_cast<uint64_t>(profile.duration_nanos);
  fields.period_type = type_of(profile.period_type);
  fields.period = profile.period;
  fields.attributes = ProfileAttributes(profile, &dictionary);
  for (const size_t column : order) {
    fields.sample_type = type_of(profile.sample_types[column]);
    builder.AddProfile(scope, fields);
  }
  return std::move(builder).Finish();
}

absl::StatusOr<model::Batch> EnvelopeOf(const model::Batch& batch) {
  model::BatchBuilder builder(model::Grouping::kNone);
  builder.MergeEnvelope(batch);
  return std::move(builder).Finish();
}

absl::StatusOr<std::string> EncodeEnvelope(const model::Batch& envelope) {
  std::string comment(kEnvelopeComment);
  FLARE_RETURN_IF_ERROR(otlp::EncodeJson(envelope, [&](std::string_view piece) {
    comment.append(piece);
    return absl::OkStatus();
  }));
  return comment;
}

bool IsEnvelope(std::string_view comment) { return comment.starts_with(kEnvelopeComment); }

absl::StatusOr<model::Batch> DecodeEnvelope(std::string_view comment, base::Warnings* warnings) {
  model::Batch envelope;
  FLARE_RETURN_IF_ERROR(
      otlp::DecodeJson(comment.substr(kEnvelopeComment.size()), &envelope, warnings));
  FLARE_RETURN_IF_ERROR(model::ValidateIndices(envelope));
  return envelope;
}

}  // namespace flarestack::codec::pprof
