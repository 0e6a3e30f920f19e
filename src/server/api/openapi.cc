// SPDX-License-Identifier: Apache-2.0
#include "server/api/openapi.h"

#include "base/text/text.h"
#include "base/version.h"
#include "server/api/event_stream.h"
#include "server/api/schema/schema.h"

namespace flarestack::server::api {
namespace {

Json ParameterSchema(const Parameter& parameter) {
  Json schema;
  switch (parameter.kind) {
    case Parameter::Kind::kText:
      schema = {{"type", "string"}};
      break;
    case Parameter::Kind::kNumber:
      schema = {{"type", "integer"}, {"minimum", 0}};
      break;
    case Parameter::Kind::kTexts:
      schema = {{"type", "array"}, {"items", {{"type", "string"}}}};
      break;
  }
  if (!parameter.fallback.empty())
    schema["default"] = parameter.fallback;
  return schema;
}

// OpenAPI requires the {name} parts of a path to be declared as parameters too.
void AddPathParameters(std::string_view path, Json* parameters) {
  for (size_t begin = path.find('{'); begin != std::string_view::npos;
       begin = path.find('{', begin + 1)) {
    const size_t end = path.find('}', begin);
    parameters->push_back({{"name", path.substr(begin + 1, end - begin - 1)},
                           {"in", "path"},
                           {"required", true},
                           {"schema", {{"type", "string"}}}});
  }
}

Json MediaTypes(const std::vector<std::string_view>& types) {
  Json content = Json::object();
  for (const std::string_view type : types)
    content[std::string(type)] = Json::object();
  return content;
}

Json ResponseSchema(const std::vector<std::string_view>& names) {
  Json references = Json::array();
  for (const std::string_view name : names)
    references.push_back(schema::ToJson(schema::Named(name)));
  if (references.size() == 1)
    return references[0];
  return {{"anyOf", std::move(references)}};
}

Json ResponseContent(const Endpoint& endpoint) {
  Json content = MediaTypes(endpoint.media_types);
  if (!endpoint.responses.empty())
    content["application/json"]["schema"] = ResponseSchema(endpoint.responses);
  if (endpoint.method == "GET" && endpoint.status == 200) {
    content[std::string(kEventStreamType)]["schema"] = {
        {"type", "string"},
        {"description",
         "events `progress` while data is read, then `answer` with the JSON response, or `error`"}};
  }
  return content;
}

Json Responses(const Endpoint& endpoint) {
  Json responses = {{std::to_string(endpoint.status),
                     {{"description", endpoint.status == 302 ? "a redirect to the header Location"
                                                             : "the response"},
                      {"content", ResponseContent(endpoint)}}}};
  if (endpoint.method == "GET" && endpoint.has_etag)
    responses["304"] = {{"description", "not modified since the response with this ETag"}};
  responses["default"] = {
      {"description", "error with reason and hint"},
      {"content", {{"application/json", {{"schema", schema::ToJson(schema::Named("Error"))}}}}}};
  return responses;
}

Json Operation(const Endpoint& endpoint) {
  Json parameters = Json::array();
  AddPathParameters(endpoint.path, &parameters);
  for (const Parameter& parameter : endpoint.parameters) {
    Json entry = {{"name", parameter.name},
                  {"in", "query"},
                  {"description", parameter.summary},
                  {"schema", ParameterSchema(parameter)}};
    if (parameter.kind == Parameter::Kind::kTexts) {
      entry["style"] = "form";
      entry["explode"] = true;
    }
    parameters.push_back(std::move(entry));
  }
  Json operation = {{"summary", endpoint.summary}, {"parameters", std::move(parameters)}};
  if (!endpoint.body_types.empty())
    operation["requestBody"] = {{"required", true}, {"content", MediaTypes(endpoint.body_types)}};
  operation["responses"] = Responses(endpoint);
  return operation;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

}  // namespace

std::string_view ProgramVersion() { return base::kVersion; }

Json OpenApiDocument(std::span<const Endpoint> endpoints) {
  Json paths = Json::object();
  for (const Endpoint& endpoint : endpoints)
    paths[base::StrCat(endpoint.prefix, endpoint.path)][LowerCase(endpoint.method)] =
        Operation(endpoint);
  Json schemas = Json::object();
  for (const schema::NamedSchema& named : schema::All())
    schemas[std::string(named.name)] = schema::ToJson(named);
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "Flarestack"}, {"version", base::kVersion}}},
          {"paths", std::move(paths)},
          {"components", {{"schemas", std::move(schemas)}}}};
}

}  // namespace flarestack::server::api
