// SPDX-License-Identifier: Apache-2.0
#include "model/attribute_text.h"

#include <algorithm>

#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::model {

namespace {

// A text source for traces, logs and metrics, which have no strings by reference.
struct BatchText {
  const std::vector<KeyValue>& nodes;

  static std::string_view Key(const KeyValue& entry) { return entry.key; }
  static std::string_view String(const AnyValue& value) { return value.text; }
};

// Decoders limit the nesting of values, which also bounds this recursion.
template <typename Source>
std::string ToText(const Source& source, const AnyValue& value) {
  using Kind = AnyValue::Kind;
  const auto list = [&](char open, char close) {
    std::string text(1, open);
    for (const KeyValue& node : In(source.nodes, value.nodes)) {
      if (text.size() > 1)
        text += ", ";
      if (value.kind == Kind::kKeyValueList)
        base::StrAppend(&text, source.Key(node), ": ");
      text += ToText(source, node.value);
    }
    return text + close;
  };
  switch (value.kind) {
    case Kind::kEmpty:
      return "";
    case Kind::kString:
    case Kind::kStringIndex:
      return std::string(source.String(value));
    case Kind::kBool:
      return value.bool_value ? "true" : "false";
    case Kind::kInt:
      return base::StrCat(value.int_value);
    case Kind::kDouble:
      return base::StrCat(value.double_value);
    case Kind::kArray:
      return list('[', ']');
    case Kind::kKeyValueList:
      return list('{', '}');
    case Kind::kBytes:
      return base::HexEncode(value.text);
  }
  return "";
}

}  // namespace

std::string AttributeText(const Dictionary& dictionary, const AnyValue& value) {
  return ToText(dictionary, value);
}

std::string AttributeText(const SignalBatch& batch, const AnyValue& value) {
  return ToText(BatchText{batch.nodes}, value);
}

bool SameAttributeKey(std::string_view a, std::string_view b) {
  const auto fold = [](char c) { return c == '_' ? '.' : c; };
  return std::ranges::equal(a, b, {}, fold, fold);
}

const AnyValue* FindAttribute(const SignalBatch& batch, Slice attributes, std::string_view key) {
  const auto nodes = In(batch.nodes, attributes);
  const auto at = std::ranges::find_if(
      nodes, [&](const KeyValue& node) { return SameAttributeKey(node.key, key); });
  return at == nodes.end() ? nullptr : &at->value;
}

}  // namespace flarestack::model
