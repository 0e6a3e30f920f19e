// SPDX-License-Identifier: Apache-2.0
#include "model/attribute_text.h"

#include <algorithm>

#include "base/encoding.h"
#include "base/text.h"

namespace flarestack::model {

// The nesting of values is limited where they are decoded, so recursion is too.
std::string AttributeText(const Dictionary& dictionary, const AnyValue& value) {
  using Kind = AnyValue::Kind;
  const auto list = [&](char open, char close) {
    std::string text(1, open);
    for (const KeyValue& node : In(dictionary.nodes, value.nodes)) {
      if (text.size() > 1)
        text += ", ";
      if (value.kind == Kind::kKeyValueList)
        base::StrAppend(&text, dictionary.Key(node), ": ");
      text += AttributeText(dictionary, node.value);
    }
    return text + close;
  };
  switch (value.kind) {
    case Kind::kEmpty:
      return "";
    case Kind::kString:
    case Kind::kStringIndex:
      return std::string(dictionary.String(value));
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

bool SameAttributeKey(std::string_view a, std::string_view b) {
  const auto fold = [](char c) { return c == '_' ? '.' : c; };
  return std::ranges::equal(a, b, {}, fold, fold);
}

}  // namespace flarestack::model
