// SPDX-License-Identifier: Apache-2.0
//
// The dictionary of one OTLP profiles message: each string, frame and stack once, referenced by its
// index.
//
//   sample --StackIndex--> stack --LocationIndex*--> location
//   location --> line --> function --StringIndex--> text
//           `--> mapping --AttributeIndex*--> attribute
//
// The tables are flat: repeated fields of an entry (lines, attribute indices, location indices) are
// stored in a pool next to the tables and referenced by a slice. Nothing here checks an index; see
// model/validation/validate.h. The text behind the string views belongs to the code that filled the
// tables (Batch::arena, or the request buffer of a decoded view).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/any_value.h"
#include "model/index.h"

namespace flarestack::model {

struct Mapping {
  uint64_t memory_start = 0;
  uint64_t memory_limit = 0;
  uint64_t file_offset = 0;
  StringIndex filename;
  Slice attributes;  // in Dictionary::attribute_indices
};

struct Line {
  FunctionIndex function;
  int64_t line = 0;    // 1-based, 0 = unset
  int64_t column = 0;  // 1-based, 0 = unset
  friend bool operator==(const Line&, const Line&) = default;
};

struct Location {
  MappingIndex mapping;
  uint64_t address = 0;
  Slice lines;  // in Dictionary::lines; innermost inlined function first, the physical caller last
  Slice attributes;  // in Dictionary::attribute_indices
};

struct Function {
  StringIndex name;
  StringIndex system_name;
  StringIndex filename;
  int64_t start_line = 0;
  friend bool operator==(const Function&, const Function&) = default;
};

struct Link {
  std::string_view trace_id;  // 16 bytes
  std::string_view span_id;   // 8 bytes
  friend bool operator==(const Link&, const Link&) = default;
};

struct Attribute {
  StringIndex key;
  StringIndex unit;
  AnyValue value;
};

struct Stack {
  Slice locations;  // in Dictionary::location_indices; leaf first
};

struct Dictionary {
  std::vector<Mapping> mappings;
  std::vector<Location> locations;
  std::vector<Function> functions;
  std::vector<Link> links;
  std::vector<std::string_view> strings;
  std::vector<Attribute> attributes;
  std::vector<Stack> stacks;

  std::vector<Line> lines;
  std::vector<LocationIndex> location_indices;
  std::vector<AttributeIndex> attribute_indices;  // of mappings, locations, profiles and samples
  std::vector<KeyValue> nodes;  // elements of arrays and key-value lists, and resource attributes

  // The text of a key or string value, stored inline or by reference. The indices must be valid.
  std::string_view Text(StringIndex index) const { return strings[index.value]; }
  std::string_view Key(const KeyValue& entry) const {
    return entry.key_index ? Text(entry.key_index) : entry.key;
  }
  bool IsString(const AnyValue& value) const {
    return value.kind == AnyValue::Kind::kString || value.kind == AnyValue::Kind::kStringIndex;
  }
  std::string_view String(const AnyValue& value) const {
    return value.kind == AnyValue::Kind::kStringIndex ? Text(value.string_index) : value.text;
  }

  void Clear();
};

}  // namespace flarestack::model
