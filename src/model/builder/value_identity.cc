// SPDX-License-Identifier: Apache-2.0
#include "model/builder/value_identity.h"

#include <bit>

#include "base/hash.h"

namespace flarestack::model {

void AppendCanonical(uint64_t number, std::string* out) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(number >> (8 * i));  // little endian on every machine
  }
  out->append(bytes, sizeof(bytes));
}

void AppendCanonical(std::string_view text, std::string* out) {
  AppendCanonical(uint64_t{text.size()}, out);
  out->append(text);
}

void AppendCanonical(const Dictionary& dictionary, const AnyValue& value, std::string* out) {
  using Kind = AnyValue::Kind;
  const Kind kind = value.kind == Kind::kStringIndex ? Kind::kString : value.kind;
  out->push_back(static_cast<char>(kind));
  switch (kind) {
    case Kind::kEmpty:
      return;
    case Kind::kString:
    case Kind::kStringIndex:
      AppendCanonical(dictionary.String(value), out);
      return;
    case Kind::kBytes:
      AppendCanonical(value.text, out);
      return;
    case Kind::kBool:
      out->push_back(value.bool_value ? 1 : 0);
      return;
    case Kind::kInt:
      AppendCanonical(static_cast<uint64_t>(value.int_value), out);
      return;
    case Kind::kDouble:
      AppendCanonical(std::bit_cast<uint64_t>(value.double_value), out);
      return;
    case Kind::kArray:
    case Kind::kKeyValueList:
      AppendCanonical(uint64_t{value.nodes.count}, out);
      for (const KeyValue& node : In(dictionary.nodes, value.nodes)) {
        if (kind == Kind::kKeyValueList) {
          AppendCanonical(dictionary.Key(node), out);
        }
        AppendCanonical(dictionary, node.value, out);
      }
      return;
  }
}

uint64_t HashValue(const Dictionary& dictionary, const AnyValue& value) {
  using Kind = AnyValue::Kind;
  const auto tag = static_cast<uint64_t>(value.kind);
  switch (value.kind) {
    case Kind::kString:
    case Kind::kStringIndex:
      return base::Hash64(dictionary.String(value));
    case Kind::kBytes:
      return base::Mix64(base::Hash64(value.text), tag);
    case Kind::kEmpty:
      return base::Mix64(0, tag);
    case Kind::kBool:
      return base::Mix64(value.bool_value ? 1 : 0, tag);
    case Kind::kInt:
      return base::Mix64(static_cast<uint64_t>(value.int_value), tag);
    case Kind::kDouble:
      return base::Mix64(std::bit_cast<uint64_t>(value.double_value), tag);
    case Kind::kArray:
    case Kind::kKeyValueList:
      break;
  }
  uint64_t hash = base::Mix64(value.nodes.count, tag);
  for (const KeyValue& node : In(dictionary.nodes, value.nodes)) {
    hash =
        base::Mix64(hash ^ base::Hash64(dictionary.Key(node)), HashValue(dictionary, node.value));
  }
  return hash;
}

bool SameValue(const Dictionary& a_dictionary, const AnyValue& a, const Dictionary& b_dictionary,
               const AnyValue& b) {
  using Kind = AnyValue::Kind;
  if (a_dictionary.IsString(a)) {
    return b_dictionary.IsString(b) && a_dictionary.String(a) == b_dictionary.String(b);
  }
  if (a.kind != b.kind) {
    return false;
  }
  switch (a.kind) {
    case Kind::kEmpty:
    case Kind::kString:
    case Kind::kStringIndex:
      return true;
    case Kind::kBytes:
      return a.text == b.text;
    case Kind::kBool:
      return a.bool_value == b.bool_value;
    case Kind::kInt:
      return a.int_value == b.int_value;
    case Kind::kDouble:  // by bits, so that NaN is itself and -0 is not 0
      return std::bit_cast<uint64_t>(a.double_value) == std::bit_cast<uint64_t>(b.double_value);
    case Kind::kArray:
    case Kind::kKeyValueList:
      break;
  }
  if (a.nodes.count != b.nodes.count) {
    return false;
  }
  for (uint32_t i = 0; i < a.nodes.count; ++i) {
    const KeyValue& a_node = a_dictionary.nodes[a.nodes.begin + i];
    const KeyValue& b_node = b_dictionary.nodes[b.nodes.begin + i];
    if (a_dictionary.Key(a_node) != b_dictionary.Key(b_node) ||
        !SameValue(a_dictionary, a_node.value, b_dictionary, b_node.value)) {
      return false;
    }
  }
  return true;
}

}  // namespace flarestack::model
