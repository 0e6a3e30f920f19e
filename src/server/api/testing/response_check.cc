// SPDX-License-Identifier: Apache-2.0
#include "server/api/testing/response_check.h"

#include <algorithm>
#include <vector>

#include "base/text/text.h"
#include "server/api/endpoints.h"
#include "server/api/event_stream.h"

namespace flarestack::server::api::testing {
namespace {

using schema::Field;
using schema::NamedSchema;
using schema::Schema;
using SchemaKind = schema::Schema::Kind;

constexpr size_t kProblemsMax = 10;
constexpr size_t kShownBytes = 60;

std::string_view KindName(SchemaKind kind) {
  switch (kind) {
    case SchemaKind::kText:
      return "text";
    case SchemaKind::kTime:
      return "time in digits";
    case SchemaKind::kInteger:
      return "integer";
    case SchemaKind::kNumber:
      return "number";
    case SchemaKind::kBoolean:
      return "boolean";
    case SchemaKind::kList:
      return "array";
    case SchemaKind::kObject:
    case SchemaKind::kMap:
      return "object";
    case SchemaKind::kAny:
    case SchemaKind::kNamed:
      break;
  }
  return "value";
}

bool IsTime(const Json& value) {
  if (!value.is_string())
    return false;
  const auto& text = value.get_ref<const std::string&>();
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

bool HasKind(const Json& value, SchemaKind kind) {
  switch (kind) {
    case SchemaKind::kText:
      return value.is_string();
    case SchemaKind::kTime:
      return IsTime(value);
    case SchemaKind::kInteger:
      return value.is_number_integer();
    case SchemaKind::kNumber:
      return value.is_number();
    case SchemaKind::kBoolean:
      return value.is_boolean();
    case SchemaKind::kList:
      return value.is_array();
    case SchemaKind::kObject:
    case SchemaKind::kMap:
      return value.is_object();
    case SchemaKind::kAny:
    case SchemaKind::kNamed:
      break;
  }
  return true;
}

class Checker {
 public:
  void Check(const Json& value, const Schema& schema, const std::string& at) {
    if (value.is_null() && (schema.is_nullable || schema.kind == SchemaKind::kAny))
      return;
    if (schema.kind == SchemaKind::kNamed)
      return CheckNamed(value, schema.name, at);
    if (!HasKind(value, schema.kind)) {
      return Add(at, base::StrCat(KindName(schema.kind), " expected, found ",
                                  value.dump().substr(0, kShownBytes)));
    }
    if (schema.kind == SchemaKind::kObject)
      CheckFields(value, schema.fields, at);
    if (schema.kind == SchemaKind::kText)
      CheckWord(value, schema.words, at);
    if (schema.kind == SchemaKind::kMap) {
      for (const auto& [key, element] : value.items())
        Check(element, schema.element[0], base::StrCat(at, at.empty() ? "" : ".", key));
    }
    if (schema.kind == SchemaKind::kList) {
      for (size_t i = 0; i < value.size() && !is_full(); ++i)
        Check(value[i], schema.element[0], base::StrCat(at, "[", i, "]"));
    }
  }

  void CheckNamed(const Json& value, std::string_view name, const std::string& at) {
    const NamedSchema* const named = schema::Find(name);
    if (named == nullptr)
      return Add(at, base::StrCat("unknown schema ", name));
    if (!named->is_response)
      return Check(value, named->schema, at);
    Schema whole = named->schema;
    const std::vector<Field>& common = schema::Find("Answered")->schema.fields;
    whole.fields.insert(whole.fields.end(), common.begin(), common.end());
    Check(value, whole, at);
  }

  std::string Text() const {
    std::string text;
    for (const std::string& problem : problems_)
      base::StrAppend(&text, problem, "\n");
    return text;
  }

 private:
  bool is_full() const { return problems_.size() >= kProblemsMax; }

  void Add(const std::string& at, std::string_view problem) {
    if (!is_full())
      problems_.push_back(base::StrCat(at.empty() ? "(root)" : at, ": ", problem));
  }

  void CheckFields(const Json& value, const std::vector<Field>& fields, const std::string& at) {
    const std::string prefix = at.empty() ? "" : at + ".";
    for (const Field& field : fields) {
      const auto found = value.find(std::string(field.name));
      if (found != value.end()) {
        Check(*found, field.schema, base::StrCat(prefix, field.name));
      } else if (field.is_required) {
        Add(base::StrCat(prefix, field.name), "missing");
      }
    }
    for (const auto& [key, unused] : value.items()) {
      if (std::ranges::find(fields, key, &Field::name) == fields.end())
        Add(prefix + key, "not in the schema");
    }
  }

  void CheckWord(const Json& value, const std::vector<std::string_view>& words,
                 const std::string& at) {
    if (!words.empty() &&
        std::ranges::find(words, value.get_ref<const std::string&>()) == words.end())
      Add(at, base::StrCat("unknown word ", value.dump().substr(0, kShownBytes)));
  }

  std::vector<std::string> problems_;
};

std::string_view UpTo(std::string_view text, char end) { return text.substr(0, text.find(end)); }

// `{name}` matches one non-empty part.
bool MatchesPattern(std::string_view path, std::string_view pattern) {
  while (!pattern.empty()) {
    if (pattern[0] == '{') {
      const std::string_view part = UpTo(path, '/');
      if (part.empty())
        return false;
      path.remove_prefix(part.size());
      pattern.remove_prefix(pattern.find('}') + 1);
      continue;
    }
    if (path.empty() || path[0] != pattern[0])
      return false;
    path.remove_prefix(1);
    pattern.remove_prefix(1);
  }
  return path.empty();
}

const std::vector<Endpoint>& KnownEndpoints() {
  static const auto* const endpoints = new std::vector<Endpoint>(Endpoints());
  return *endpoints;
}

// Returns the problems with the best matching schema.
std::string CheckJson(std::string_view body, const std::vector<std::string_view>& names) {
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded())
    return base::StrCat("(root): not JSON: ", body.substr(0, kShownBytes), "\n");
  std::string problems;
  for (const std::string_view name : names) {
    std::string found = CheckValue(json, name);
    if (found.empty())
      return "";
    if (problems.empty() || found.size() < problems.size())
      problems = std::move(found);
  }
  return problems;
}

}  // namespace

std::string CheckValue(const Json& value, const Schema& schema) {
  Checker checker;
  checker.Check(value, schema, "");
  return checker.Text();
}

std::string CheckValue(const Json& value, std::string_view name) {
  Checker checker;
  checker.CheckNamed(value, name, "");
  return checker.Text();
}

const Endpoint* FindEndpoint(std::string_view method, std::string_view path) {
  const std::string_view plain = UpTo(path, '?');
  const Endpoint* best = nullptr;
  for (const Endpoint& endpoint : KnownEndpoints()) {
    // Prefer "/symbols/health" to "/symbols/{id}".
    const bool has_parts = endpoint.path.find('{') != std::string_view::npos;
    if (endpoint.method == method && (best == nullptr || !has_parts) &&
        MatchesPattern(plain, base::StrCat(endpoint.prefix, endpoint.path)))
      best = &endpoint;
  }
  return best;
}

std::string CheckExchange(const Exchange& exchange) {
  const Endpoint* const endpoint = FindEndpoint(exchange.method, exchange.path);
  if (endpoint == nullptr || exchange.status == 0 || exchange.status == 304)
    return "";
  const std::string_view type = UpTo(exchange.content_type, ';');
  if (exchange.status != endpoint->status && exchange.status < 400) {
    // A client that follows a redirect gets the response of the target.
    return endpoint->status == 302 ? ""
                                   : base::StrCat("undocumented status ", exchange.status, "\n");
  }
  if (exchange.status != endpoint->status) {
    if (type != "application/json")
      return base::StrCat("error with content type \"", exchange.content_type, "\"\n");
    return CheckJson(exchange.body, {"Error"});
  }
  if (type == kEventStreamType)
    return "";
  if (std::ranges::find(endpoint->media_types, type) == endpoint->media_types.end())
    return base::StrCat("undocumented content type \"", exchange.content_type, "\"\n");
  if (type != "application/json" || endpoint->responses.empty())
    return "";
  return CheckJson(exchange.body, endpoint->responses);
}

}  // namespace flarestack::server::api::testing
