// SPDX-License-Identifier: Apache-2.0
//
// The shapes of JSON responses, as tables:
//
//   Response("Top", {{"type", Text()}, {"total", Integer()}, {"rows", ListOf(Named("TopRow"))}})
//
// The OpenAPI document and the check of responses in tests both come from them. Names and texts
// are views of literals.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace flarestack::server::api::schema {

struct Field;

struct Schema {
  enum class Kind {
    kAny,  // any JSON value, also null
    kText,
    kTime,  // text: nanoseconds since the epoch, in decimal digits
    kInteger,
    kNumber,
    kBoolean,
    kObject,  // with exactly these fields
    kList,
    kMap,    // an object with any keys and values of one schema
    kNamed,  // the schema of this name
  };

  Kind kind = Kind::kAny;
  bool is_nullable = false;
  std::string_view name;                // of kNamed
  std::vector<std::string_view> words;  // of kText: the only values; empty: any
  std::vector<Schema> element;          // of kList and kMap: one
  std::vector<Field> fields;            // of kObject
};

struct Field {
  std::string_view name;
  Schema schema;
  std::string_view summary = {};
  bool is_required = true;
};

struct NamedSchema {
  std::string_view name;
  Schema schema;
  std::string_view summary = {};
  bool is_response = false;  // also has the fields of "Answered": `meta`, and `empty` if so
};

Schema Any();
Schema Text();
Schema Time();
Schema Integer();
Schema Number();
Schema Boolean();
Schema OneOf(std::initializer_list<std::string_view> words);
Schema ListOf(Schema element);
Schema MapOf(Schema element);
Schema Object(std::initializer_list<Field> fields);
Schema Named(std::string_view name);
Schema Nullable(Schema schema);

// A field that a response may omit.
Field Optional(std::string_view name, Schema schema, std::string_view summary = {});

// A response of an endpoint: an object to which `meta` is added.
NamedSchema Response(std::string_view name, std::initializer_list<Field> fields);

// All that have a name, in the order of the documentation.
const std::vector<NamedSchema>& All();

// Null if there is none of this name.
const NamedSchema* Find(std::string_view name);

// As OpenAPI 3.1 writes it: JSON Schema, names as references to #/components/schemas.
nlohmann::ordered_json ToJson(const Schema& schema);
nlohmann::ordered_json ToJson(const NamedSchema& named);

// The parts of All(), each in the file of its name: schemas_profiles.cc and so on.
std::vector<NamedSchema> ProfileSchemas();
std::vector<NamedSchema> ComparisonSchemas();
std::vector<NamedSchema> SignalSchemas();
std::vector<NamedSchema> ServerSchemas();

}  // namespace flarestack::server::api::schema
