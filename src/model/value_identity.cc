// SPDX-License-Identifier: Apache-2.0
#include "model/value_identity.h"

#include <bit>

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

}  // namespace flarestack::model
