// SPDX-License-Identifier: Apache-2.0
#include "server/api/schema/schema.h"

#include <string>
#include <utility>

#include "base/text/text.h"

namespace flarestack::server::api::schema {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Schema::Kind;

Schema Plain(Kind kind) {
  Schema schema;
  schema.kind = kind;
  return schema;
}

Schema With(Kind kind, Schema element) {
  Schema schema = Plain(kind);
  schema.element.push_back(std::move(element));
  return schema;
}

Json Reference(std::string_view name) {
  return {{"$ref", base::StrCat("#/components/schemas/", name)}};
}

Json ObjectJson(const std::vector<Field>& fields) {
  Json required = Json::array();
  Json properties = Json::object();
  for (const Field& field : fields) {
    Json property = ToJson(field.schema);
    if (!field.summary.empty())
      property["description"] = field.summary;
    if (field.is_required)
      required.push_back(field.name);
    properties[std::string(field.name)] = std::move(property);
  }
  Json json = {{"type", "object"}};
  if (!required.empty())
    json["required"] = std::move(required);
  json["properties"] = std::move(properties);
  return json;
}

Json NotNullJson(const Schema& schema) {
  switch (schema.kind) {
    case Kind::kAny:
      return Json::object();
    case Kind::kText: {
      Json json = {{"type", "string"}};
      if (!schema.words.empty())
        json["enum"] = schema.words;
      return json;
    }
    case Kind::kTime:
      return {{"type", "string"}, {"pattern", "^[0-9]+$"}};
    case Kind::kInteger:
      return {{"type", "integer"}, {"format", "int64"}};
    case Kind::kNumber:
      return {{"type", "number"}};
    case Kind::kBoolean:
      return {{"type", "boolean"}};
    case Kind::kObject:
      return ObjectJson(schema.fields);
    case Kind::kList:
      return {{"type", "array"}, {"items", ToJson(schema.element[0])}};
    case Kind::kMap:
      return {{"type", "object"}, {"additionalProperties", ToJson(schema.element[0])}};
    case Kind::kNamed:
      break;
  }
  return Reference(schema.name);
}

std::vector<NamedSchema> CommonSchemas() {
  return {
      {"Time", Plain(Kind::kTime), "nanoseconds since the epoch, as text"},
      {"AttributeMap", MapOf(Any()), "attributes by key; values as OTLP has them"},
      {"Meta",
       Object({{"watermark", Integer(), "changes when data is stored"},
               {"partial", Boolean(), "the response is not complete"},
               {"scanned", Object({{"parts", Integer()}, {"samples", Integer()}})},
               {"took_ms", Number()},
               {"request_id", Text()},
               Optional("missing", Text(), "what a partial response lacks, and what to do")})},
      {"Empty",
       Object({{"reason", Text()},
               Optional("matcher", Text(), "the part of the selector that excludes all data"),
               Optional("step", Text(), "the filter step that removes all samples"),
               Optional("types", ListOf(Text()), "the profile types that are stored"),
               Optional("excluded_by", ListOf(Text()), "conditions that exclude all data"),
               Optional("nearest", Nullable(Time()), "nearest time with data")}),
       "why a response has no data"},
      {"Answered", Object({{"meta", Named("Meta")}, Optional("empty", Named("Empty"))}),
       "part of each JSON response"},
      {"Error", Object({{"code", Text()},
                        {"message", Text()},
                        {"hint", Text(), "what to do about it; may be empty"},
                        {"request_id", Text()}})},
      {"OpenApiDocument", MapOf(Any()), "OpenAPI 3.1"},
  };
}

std::vector<NamedSchema> Collect() {
  std::vector<NamedSchema> all;
  for (auto part :
       {CommonSchemas(), ProfileSchemas(), ComparisonSchemas(), SignalSchemas(), ServerSchemas()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

Schema Any() { return Plain(Kind::kAny); }
Schema Text() { return Plain(Kind::kText); }
Schema Time() { return Named("Time"); }
Schema Integer() { return Plain(Kind::kInteger); }
Schema Number() { return Plain(Kind::kNumber); }
Schema Boolean() { return Plain(Kind::kBoolean); }
Schema ListOf(Schema element) { return With(Kind::kList, std::move(element)); }
Schema MapOf(Schema element) { return With(Kind::kMap, std::move(element)); }

Schema OneOf(std::initializer_list<std::string_view> words) {
  Schema schema = Text();
  schema.words = words;
  return schema;
}

Schema Object(std::initializer_list<Field> fields) {
  Schema schema = Plain(Kind::kObject);
  schema.fields = fields;
  return schema;
}

Schema Named(std::string_view name) {
  Schema schema = Plain(Kind::kNamed);
  schema.name = name;
  return schema;
}

Schema Nullable(Schema schema) {
  schema.is_nullable = true;
  return schema;
}

Field Optional(std::string_view name, Schema schema, std::string_view summary) {
  return {name, std::move(schema), summary, false};
}

NamedSchema Response(std::string_view name, std::initializer_list<Field> fields) {
  return {.name = name, .schema = Object(fields), .is_response = true};
}

const std::vector<NamedSchema>& All() {
  static const auto* const all = new std::vector<NamedSchema>(Collect());
  return *all;
}

const NamedSchema* Find(std::string_view name) {
  for (const NamedSchema& named : All()) {
    if (named.name == name)
      return &named;
  }
  return nullptr;
}

Json ToJson(const Schema& schema) {
  Json json = NotNullJson(schema);
  if (!schema.is_nullable)
    return json;
  if (json.contains("type") && !json.contains("enum")) {
    json["type"] = Json::array({json["type"], "null"});
    return json;
  }
  return {{"anyOf", Json::array({std::move(json), Json{{"type", "null"}}})}};
}

Json ToJson(const NamedSchema& named) {
  Json json = ToJson(named.schema);
  if (named.is_response)
    json = {{"allOf", Json::array({Reference("Answered"), std::move(json)})}};
  if (!named.summary.empty())
    json["description"] = named.summary;
  return json;
}

}  // namespace flarestack::server::api::schema
