// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/json/json_resource.h"

#include "base/status.h"
#include "codec/otlp/json/json_lists.h"

namespace flarestack::codec::otlp {

using Value = JsonInput::Value;

absl::Status JsonResourceReader::ReadResource(Value& value, model::Resource* out) {
  out->present = true;
  return in_.Object(value).Read({
      {"attributes",
       [&](Value& member) { return values_.ReadAttributes(member, &out->attributes); }},
      {"droppedAttributesCount",
       [&](Value& member) { return in_.Read(member, &out->dropped_attributes_count); }},
      {"entityRefs",
       [&](Value& member) {
         return ReadJsonMessages(
             in_, member, entity_refs_, limits_.table_entries_max,
             [&](Value& entry) { return ReadEntityRef(entry); }, &out->entity_refs);
       }},
  });
}

absl::Status JsonResourceReader::ReadEntityRef(Value& value) {
  model::EntityRef ref;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"schemaUrl", [&](Value& member) { return in_.Read(member, &ref.schema_url); }},
      {"type", [&](Value& member) { return in_.Read(member, &ref.type); }},
      {"idKeys",
       [&](Value& member) {
         return ReadJsonList(in_, limits_, member, &entity_keys_, &ref.id_keys);
       }},
      {"descriptionKeys",
       [&](Value& member) {
         return ReadJsonList(in_, limits_, member, &entity_keys_, &ref.description_keys);
       }},
  }));
  entity_refs_.push_back(ref);
  return absl::OkStatus();
}

absl::Status JsonResourceReader::ReadScope(Value& value, model::InstrumentationScope* out) {
  out->present = true;
  return in_.Object(value).Read({
      {"name", [&](Value& member) { return in_.Read(member, &out->name); }},
      {"version", [&](Value& member) { return in_.Read(member, &out->version); }},
      {"attributes",
       [&](Value& member) { return values_.ReadAttributes(member, &out->attributes); }},
      {"droppedAttributesCount",
       [&](Value& member) { return in_.Read(member, &out->dropped_attributes_count); }},
  });
}

namespace {

void WriteKeys(std::string_view name, std::span<const std::string_view> keys, JsonOutput* out) {
  if (keys.empty())
    return;
  out->Name(name);
  out->BeginArray();
  for (const std::string_view key : keys)
    out->String(key);
  out->EndArray();
}

void WriteEntityRef(const JsonEntities& entities, const model::EntityRef& ref, JsonOutput* out) {
  out->BeginObject();
  out->StringField("schemaUrl", ref.schema_url);
  out->StringField("type", ref.type);
  WriteKeys("idKeys", In(entities.keys, ref.id_keys), out);
  WriteKeys("descriptionKeys", In(entities.keys, ref.description_keys), out);
  out->EndObject();
}

}  // namespace

void WriteJsonResource(const JsonValues& values, const JsonEntities& entities,
                       const model::Resource& resource, JsonOutput* out) {
  if (!resource.present)
    return;
  out->Name("resource");
  out->BeginObject();
  WriteJsonKeyValues(values, "attributes", resource.attributes, out);
  out->NumberField("droppedAttributesCount", resource.dropped_attributes_count);
  if (!resource.entity_refs.empty()) {
    out->Name("entityRefs");
    out->BeginArray();
    for (const model::EntityRef& ref : In(entities.refs, resource.entity_refs))
      WriteEntityRef(entities, ref, out);
    out->EndArray();
  }
  out->EndObject();
}

void WriteJsonScope(const JsonValues& values, const model::InstrumentationScope& scope,
                    JsonOutput* out) {
  if (!scope.present)
    return;
  out->Name("scope");
  out->BeginObject();
  out->StringField("name", scope.name);
  out->StringField("version", scope.version);
  WriteJsonKeyValues(values, "attributes", scope.attributes, out);
  out->NumberField("droppedAttributesCount", scope.dropped_attributes_count);
  out->EndObject();
}

}  // namespace flarestack::codec::otlp
