// SPDX-License-Identifier: Apache-2.0
//
// OTLP attribute values. A value is a plain struct; the elements of arrays and key-value lists are
// stored in the `nodes` pool of the dictionary that the value belongs to, so that a message of any
// nesting needs only a handful of allocations.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/index.h"

namespace flarestack::model {

struct AnyValue {
  enum class Kind : uint8_t {
    kEmpty,
    kString,
    kBool,
    kInt,
    kDouble,
    kArray,
    kKeyValueList,
    kBytes,
    kStringIndex,  // a string by reference into the dictionary's string table
  };

  Kind kind = Kind::kEmpty;
  bool bool_value = false;
  StringIndex string_index;
  int64_t int_value = 0;
  double double_value = 0;
  std::string_view text;  // kString and kBytes
  Slice nodes;            // kArray and kKeyValueList, in Dictionary::nodes

  static AnyValue String(std::string_view text) {
    AnyValue value;
    value.kind = Kind::kString;
    value.text = text;
    return value;
  }
  static AnyValue Bytes(std::string_view bytes) {
    AnyValue value = String(bytes);
    value.kind = Kind::kBytes;
    return value;
  }
  static AnyValue Reference(StringIndex index) {
    AnyValue value;
    value.kind = Kind::kStringIndex;
    value.string_index = index;
    return value;
  }
  static AnyValue Bool(bool flag) {
    AnyValue value;
    value.kind = Kind::kBool;
    value.bool_value = flag;
    return value;
  }
  static AnyValue Int(int64_t number) {
    AnyValue value;
    value.kind = Kind::kInt;
    value.int_value = number;
    return value;
  }
  static AnyValue Double(double number) {
    AnyValue value;
    value.kind = Kind::kDouble;
    value.double_value = number;
    return value;
  }
  static AnyValue Array(Slice nodes) {
    AnyValue value;
    value.kind = Kind::kArray;
    value.nodes = nodes;
    return value;
  }
  static AnyValue KeyValueList(Slice nodes) {
    AnyValue value = Array(nodes);
    value.kind = Kind::kKeyValueList;
    return value;
  }
};

// An attribute of a resource or scope, an entry of a key-value list, or an element of an array
// (without a key). Only one of `key` and `key_index` is set; index 0 means that the text is in
// `key`.
struct KeyValue {
  std::string_view key;
  StringIndex key_index;
  AnyValue value;
};

}  // namespace flarestack::model
