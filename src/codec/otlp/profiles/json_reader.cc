// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/profiles/json_reader.h"

#include <algorithm>
#include <vector>

#include "base/status.h"
#include "codec/otlp/json/json_input.h"
#include "codec/otlp/json/json_lists.h"
#include "codec/otlp/json/json_resource.h"
#include "codec/otlp/json/json_value.h"
#include "codec/otlp/json/json_value_reader.h"
#include "codec/otlp/profiles/json_dictionary_reader.h"

namespace flarestack::codec::otlp {
namespace {

using model::Slice;
using Value = JsonInput::Value;

constexpr std::string_view kCommentKey = "pprof.profile.comment";

class MessageReader {
 public:
  MessageReader(std::string_view json, model::Batch* out, base::Warnings* warnings,
                const Limits& limits)
      : limits_(limits),
        out_(*out),
        in_(json, &out->arena, warnings),
        values_(&in_, &out->dictionary.nodes, &limits_, JsonValueReader::References::kAllowed),
        resources_(&in_, &values_, &limits_, &out->entity_refs, &out->entity_keys),
        dictionary_(&in_, &values_, &limits_, &out->dictionary) {
    in_.LimitMemory(limits);
  }

  absl::Status Read(ReservedEntries reserved);
  void Observe(JsonObserver* observer) { in_.Observe(observer); }
  void LeaveOutBadIds() { in_.LeaveOutBadIds(); }

 private:
  absl::Status ReadResource(Value& value);
  absl::Status ReadScope(Value& value);
  absl::Status ReadProfile(Value& value);
  absl::Status ReadValueType(Value& value, model::ValueType* out);
  absl::Status ReadSample(Value& value);
  absl::Status ReadComments(Value& value);

  void AddCommentAttributes();

  // The comments of a profile of version 1.8, which become an attribute once the dictionary is
  // complete.
  struct Comments {
    uint32_t profile_index = 0;
    Slice nodes;
  };

  Limits limits_;
  model::Batch& out_;
  JsonInput in_;
  JsonValueReader values_;
  JsonResourceReader resources_;
  JsonDictionaryReader dictionary_;
  std::vector<Comments> comments_;
};

absl::Status MessageReader::Read(ReservedEntries reserved) {
  const auto reject = [&](Value&) { return OldLayoutError(in_, "message"); };
  Slice resources;
  FLARE_RETURN_IF_ERROR(in_.ReadDocument({
      {"resourceProfiles",
       [&](Value& member) {
         return ReadJsonMessages(
             in_, member, out_.resources, limits_.table_entries_max,
             [&](Value& entry) { return ReadResource(entry); }, &resources);
       }},
      {"dictionary", [&](Value& member) { return dictionary_.Read(member); }},
      {"stringTable", reject},
      {"attributeUnits", reject},
  }));
  if (reserved == ReservedEntries::kAdded || !comments_.empty())
    EnsureReservedEntries(&out_.dictionary);
  AddCommentAttributes();
  return absl::OkStatus();
}

absl::Status MessageReader::ReadResource(Value& value) {
  model::Resource resource;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"resource", [&](Value& member) { return resources_.ReadResource(member, &resource); }},
      {"scopeProfiles",
       [&](Value& member) {
         return ReadJsonMessages(
             in_, member, out_.scopes, limits_.table_entries_max,
             [&](Value& entry) { return ReadScope(entry); }, &resource.scopes);
       }},
      {"schemaUrl", [&](Value& member) { return in_.Read(member, &resource.schema_url); }},
  }));
  out_.resources.push_back(resource);
  return absl::OkStatus();
}

absl::Status MessageReader::ReadScope(Value& value) {
  model::Scope scope;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"scope", [&](Value& member) { return resources_.ReadScope(member, &scope); }},
      {"profiles",
       [&](Value& member) {
         return ReadJsonMessages(
             in_, member, out_.profiles, limits_.table_entries_max,
             [&](Value& entry) { return ReadProfile(entry); }, &scope.profiles);
       }},
      {"schemaUrl", [&](Value& member) { return in_.Read(member, &scope.schema_url); }},
  }));
  out_.scopes.push_back(scope);
  return absl::OkStatus();
}

absl::Status MessageReader::ReadProfile(Value& value) {
  model::Profile profile;
  const auto reject = [&](Value&) { return OldLayoutError(in_, "profile"); };
  const auto read_samples = [&](Value& member) {
    return ReadJsonMessages(
        in_, member, out_.samples, limits_.samples_max,
        [&](Value& entry) { return ReadSample(entry); }, &profile.samples);
  };
  const auto read_sample_type = [&](Value& member) {
    return JsonInput::IsArray(member) ? reject(member)
                                      : ReadValueType(member, &profile.sample_type);
  };
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"sampleType", read_sample_type},
      {"samples", read_samples, /*former_name=*/"sample"},
      {"timeUnixNano", [&](Value& member) { return in_.Read(member, &profile.time_unix_nano); }},
      {"durationNano", [&](Value& member) { return in_.Read(member, &profile.duration_nano); }},
      {"periodType", [&](Value& member) { return ReadValueType(member, &profile.period_type); }},
      {"period", [&](Value& member) { return in_.Read(member, &profile.period); }},
      {"profileId", [&](Value& member) { return in_.ReadProfileId(member, &profile.profile_id); }},
      {"droppedAttributesCount",
       [&](Value& member) { return in_.Read(member, &profile.dropped_attributes_count); }},
      {"originalPayloadFormat",
       [&](Value& member) { return in_.Read(member, &profile.original_payload_format); }},
      {"originalPayload",
       [&](Value& member) { return in_.ReadBase64(member, &profile.original_payload); }},
      {"attributeIndices",
       [&](Value& member) {
         return dictionary_.ReadAttributeIndices(member, &profile.attributes);
       }},
      {"commentStrindices", [&](Value& member) { return ReadComments(member); }},
      {"locationIndices", reject},
      {"timeNanos", reject},
      {"durationNanos", reject},
      {"defaultSampleTypeIndex", reject},
      {"defaultSampleTypeStrindex", reject},
      {"stringTable", reject},
  }));
  out_.profiles.push_back(profile);
  return absl::OkStatus();
}

absl::Status MessageReader::ReadValueType(Value& value, model::ValueType* out) {
  return in_.Object(value).Read({
      {"typeStrindex", [&](Value& member) { return in_.Read(member, &out->type); }},
      {"unitStrindex", [&](Value& member) { return in_.Read(member, &out->unit); }},
      {"aggregationTemporality",
       [&](Value& member) {
         in_.Warn("aggregation temporality is omitted: OTLP no longer has it");
         return in_.Skip(member);
       }},
  });
}

absl::Status MessageReader::ReadSample(Value& value) {
  model::Sample sample;
  const auto reject = [&](Value&) { return OldLayoutError(in_, "sample"); };
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"stackIndex", [&](Value& member) { return in_.Read(member, &sample.stack); }},
      {"attributeIndices",
       [&](Value& member) { return dictionary_.ReadAttributeIndices(member, &sample.attributes); }},
      {"linkIndex", [&](Value& member) { return in_.Read(member, &sample.link); }},
      {"values",
       [&](Value& member) { return dictionary_.ReadList(member, &out_.values, &sample.values); }},
      {"timestampsUnixNano",
       [&](Value& member) {
         return dictionary_.ReadList(member, &out_.timestamps, &sample.timestamps);
       }},
      {"locationsStartIndex", reject},
      {"locationsLength", reject},
      {"value", reject},
  }));
  out_.samples.push_back(sample);
  return absl::OkStatus();
}

absl::Status MessageReader::ReadComments(Value& value) {
  std::vector<model::KeyValue>& nodes = out_.dictionary.nodes;
  const auto read_comment = [&](Value& element) {
    FLARE_RETURN_IF_ERROR(in_.CheckLimit(nodes.size(), limits_.list_elements_max, "list elements",
                                         MemoryOfEntry<model::KeyValue>()));
    model::StringIndex text;
    FLARE_RETURN_IF_ERROR(in_.Read(element, &text));
    nodes.push_back({.key = {}, .key_index = {}, .value = model::AnyValue::Reference(text)});
    return absl::OkStatus();
  };
  const auto begin = static_cast<uint32_t>(nodes.size());
  FLARE_RETURN_IF_ERROR(in_.ReadArray(value, read_comment));
  const Slice slice = {.begin = begin, .count = static_cast<uint32_t>(nodes.size()) - begin};
  if (!slice.empty()) {
    comments_.push_back(
        {.profile_index = static_cast<uint32_t>(out_.profiles.size()), .nodes = slice});
  }
  return absl::OkStatus();
}

void MessageReader::AddCommentAttributes() {
  if (comments_.empty()) {
    return;
  }
  model::Dictionary& tables = out_.dictionary;
  const auto found = std::find(tables.strings.begin(), tables.strings.end(), kCommentKey);
  const model::StringIndex key = {static_cast<uint32_t>(found - tables.strings.begin())};
  if (found == tables.strings.end()) {
    tables.strings.push_back(kCommentKey);
  }
  for (const Comments& comments : comments_) {
    const model::AttributeIndex added = {static_cast<uint32_t>(tables.attributes.size())};
    tables.attributes.push_back(
        {.key = key, .unit = {}, .value = model::AnyValue::Array(comments.nodes)});
    // The profile's references and the new one must be contiguous, so move them to the end of the
    // pool.
    Slice& slice = out_.profiles[comments.profile_index].attributes;
    std::vector<model::AttributeIndex>& pool = tables.attribute_indices;
    const Slice moved = {.begin = static_cast<uint32_t>(pool.size()), .count = slice.count + 1};
    for (uint32_t i = slice.begin; i < slice.end(); ++i) {
      pool.push_back(model::AttributeIndex(pool[i]));
    }
    pool.push_back(added);
    slice = moved;
  }
}

}  // namespace

absl::Status DecodeJson(std::string_view json, model::Batch* out, base::Warnings* warnings,
                        const Limits& limits, ReservedEntries reserved, BadIds bad_ids) {
  out->Clear();
  MessageReader reader(json, out, warnings, limits);
  if (bad_ids == BadIds::kDropped) {
    reader.LeaveOutBadIds();
  }
  absl::Status status = reader.Read(reserved);
  if (!status.ok()) {
    out->Clear();
  }
  return status;
}

absl::Status DecodeJsonObserved(std::string_view json, model::Batch* out, base::Warnings* warnings,
                                JsonObserver* observer) {
  out->Clear();
  MessageReader reader(json, out, warnings, {});
  reader.Observe(observer);
  absl::Status status = reader.Read(ReservedEntries::kAsSent);
  if (!status.ok()) {
    out->Clear();
  }
  return status;
}

absl::StatusOr<model::AnyValue> DecodeJsonValue(std::string_view json,
                                                model::DictionaryBuilder* builder) {
  base::Arena arena;
  base::Warnings warnings;
  model::Dictionary dictionary;
  JsonInput in(json, &arena, &warnings);
  const Limits limits;
  model::AnyValue value;
  JsonValueReader reader(&in, &dictionary.nodes, &limits, JsonValueReader::References::kRejected);
  FLARE_RETURN_IF_ERROR(reader.ReadValueDocument(&value));
  model::AnyValue copy = builder->CopyValue(dictionary, value);
  FLARE_RETURN_IF_ERROR(builder->status());
  return copy;
}

}  // namespace flarestack::codec::otlp
