// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/signals/signal_json.h"

#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::codec::otlp {
namespace {

// The cost of a span, a log record or a metric, before its kind is known.
constexpr uint64_t kItemBytes = 512 + kStoredEntryBytes;

}  // namespace

SignalJsonReader::SignalJsonReader(std::string_view json, const SignalNames& names,
                                   const Limits& limits, model::SignalBatch* batch,
                                   base::Warnings* warnings)
    : limits_(limits),
      in_(json, &batch->arena, warnings, JsonInput::Names::kCamelCaseOnly),
      names_(names),
      batch_(*batch),
      values_(&in_, &batch->nodes, &limits_, JsonValueReader::References::kSkipped),
      resources_(&in_, &values_, &limits_, &batch->entity_refs, &batch->entity_keys) {
  in_.LimitMemory(limits);
}

absl::Status SignalJsonReader::Read() {
  model::Slice resources;
  return in_.ReadDocument({
      {names_.resources,
       [&](Value& member) {
         return ReadJsonMessages(
             in_, member, batch_.resources, limits_.table_entries_max,
             [&](Value& entry) { return ReadResourceItems(entry); }, &resources);
       }},
  });
}

absl::Status SignalJsonReader::ReadResourceItems(Value& value) {
  model::Resource resource;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"resource", [&](Value& member) { return resources_.ReadResource(member, &resource); }},
      {names_.scopes,
       [&](Value& member) {
         return ReadJsonMessages(
             in_, member, batch_.scopes, limits_.table_entries_max,
             [&](Value& entry) { return ReadScopeItems(entry); }, &resource.scopes);
       }},
      {"schemaUrl", [&](Value& member) { return in_.Read(member, &resource.schema_url); }},
  }));
  batch_.resources.push_back(resource);
  return absl::OkStatus();
}

absl::Status SignalJsonReader::ReadScopeItems(Value& value) {
  model::ItemScope scope;
  const auto read_item = [&](Value& element) {
    FLARE_RETURN_IF_ERROR(
        in_.CheckLimit(item_count(), limits_.items_max, names_.items, kItemBytes));
    return ReadItem(element);
  };
  scope.items.begin = item_count();
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"scope", [&](Value& member) { return resources_.ReadScope(member, &scope); }},
      {names_.items, [&](Value& member) { return in_.ReadArray(member, read_item); }},
      {"schemaUrl", [&](Value& member) { return in_.Read(member, &scope.schema_url); }},
  }));
  scope.items.count = item_count() - scope.items.begin;
  batch_.scopes.push_back(scope);
  return absl::OkStatus();
}

absl::Status SignalJsonReader::ReadAttributes(Value& value, model::Slice* out) {
  FLARE_RETURN_IF_ERROR(values_.ReadAttributes(value, out));
  if (out->count > limits_.attributes_per_item_max) {
    return in_.LimitError(base::StrCat("more attributes of one item than the limit of ",
                                       limits_.attributes_per_item_max));
  }
  return absl::OkStatus();
}

absl::Status SignalJsonWriter::Write() {
  out_.BeginObject();
  WriteList(names_.resources, std::span<const model::Resource>(batch_.resources),
            [this](const model::Resource& resource) { WriteResourceItems(resource); });
  out_.EndObject();
  return out_.Finish();
}

void SignalJsonWriter::WriteResourceItems(const model::Resource& resource) {
  out_.BeginObject();
  WriteJsonResource(values_, {.refs = batch_.entity_refs, .keys = batch_.entity_keys}, resource,
                    &out_);
  WriteList(names_.scopes, In(batch_.scopes, resource.scopes),
            [this](const model::ItemScope& scope) { WriteScopeItems(scope); });
  out_.StringField("schemaUrl", resource.schema_url);
  out_.EndObject();
}

void SignalJsonWriter::WriteScopeItems(const model::ItemScope& scope) {
  out_.BeginObject();
  WriteJsonScope(values_, scope, &out_);
  if (!scope.items.empty()) {
    out_.Name(names_.items);
    out_.BeginArray();
    for (uint32_t i = scope.items.begin; i < scope.items.end() && out_.ok(); ++i) {
      out_.BeginObject();
      WriteItem(i);
      out_.EndObject();
    }
    out_.EndArray();
  }
  out_.StringField("schemaUrl", scope.schema_url);
  out_.EndObject();
}

void SignalJsonWriter::WriteAnyValue(std::string_view name, const model::AnyValue& value) {
  if (value.kind == model::AnyValue::Kind::kEmpty)
    return;
  out_.Name(name);
  WriteJsonValue(values_, value, &out_);
}

}  // namespace flarestack::codec::otlp
