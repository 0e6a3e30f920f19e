// SPDX-License-Identifier: Apache-2.0
#include "model/dump/dump_lines.h"

#include <algorithm>
#include <cmath>

#include "base/text/encoding.h"

namespace flarestack::model {

// If the text is not valid UTF-8, writes all bytes beyond ASCII as \xNN, which never appears for
// valid text.
std::string DumpLines::Quoted(std::string_view text) {
  std::string out;
  if (base::IsValidUtf8(text)) {
    base::AppendJsonString(text, &out);
    return out;
  }
  out = "\"";
  for (const char c : text) {
    if (static_cast<uint8_t>(c) >= 0x80) {
      base::StrAppend(&out, "\\x", base::HexEncode({&c, 1}));
      continue;
    }
    std::string quoted;
    base::AppendJsonString({&c, 1}, &quoted);
    out.append(quoted, 1, quoted.size() - 2);
  }
  out.push_back('"');
  return out;
}

std::string DumpLines::DoubleText(double number) {
  if (std::isnan(number)) {
    return "nan";  // regardless of sign and payload
  }
  return base::StrCat(number);
}

void DumpLines::AddHead(const Resource& resource, std::span<const EntityRef> entity_refs,
                        const std::vector<std::string_view>& entity_keys) {
  Line(resource.present ? "resource" : "resource absent");
  const Nest nest(this);
  TextLine("schema_url", resource.schema_url);
  NumberLine("dropped_attributes_count", resource.dropped_attributes_count);
  AddNodes(resource.attributes);
  for (const EntityRef& ref : entity_refs) {
    Line("entity_ref ", Quoted(ref.type));
    const Nest inner_nest(this);
    TextLine("schema_url", ref.schema_url);
    for (const std::string_view key : In(entity_keys, ref.id_keys)) {
      Line("id_key ", Quoted(key));
    }
    for (const std::string_view key : In(entity_keys, ref.description_keys)) {
      Line("description_key ", Quoted(key));
    }
  }
}

void DumpLines::AddHead(const InstrumentationScope& scope) {
  Line(scope.present ? "scope" : "scope absent");
  const Nest nest(this);
  TextLine("name", scope.name);
  TextLine("version", scope.version);
  TextLine("schema_url", scope.schema_url);
  NumberLine("dropped_attributes_count", scope.dropped_attributes_count);
  AddNodes(scope.attributes);
}

void DumpLines::AddNodes(Slice nodes, std::string_view name) {
  std::vector<std::string> lines;
  for (const KeyValue& node : In(nodes_, nodes)) {
    lines.push_back(base::StrCat(name, " ", Quoted(Key(node)), " = ", ValueText(node.value)));
  }
  AddSorted(std::move(lines));
}

void DumpLines::AddSorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  for (const std::string& line : lines) {
    Line(line);
  }
}

void DumpLines::IdLine(std::string_view name, std::string_view id) {
  if (!id.empty()) {
    Line(name, " ", base::HexEncode(id));
  }
}

std::string DumpLines::ValueText(const AnyValue& value) const {
  using Kind = AnyValue::Kind;
  switch (value.kind) {
    case Kind::kEmpty:
      return "empty";
    case Kind::kString:
      return base::StrCat("string ", Quoted(value.text));
    case Kind::kStringIndex:
      return base::StrCat("string ", Quoted((*strings_)[value.string_index.value]));
    case Kind::kBool:
      return base::StrCat("bool ", value.bool_value);
    case Kind::kInt:
      return base::StrCat("int ", value.int_value);
    case Kind::kDouble:
      return base::StrCat("double ", DoubleText(value.double_value));
    case Kind::kBytes:
      return base::StrCat("bytes ", base::HexEncode(value.text));
    case Kind::kArray:
    case Kind::kKeyValueList:
      break;
  }
  const bool is_array = value.kind == Kind::kArray;
  std::string text = is_array ? "array [" : "kvlist {";
  std::string_view separator;
  for (const KeyValue& node : In(nodes_, value.nodes)) {
    text.append(separator);
    if (!is_array) {
      base::StrAppend(&text, Quoted(Key(node)), " = ");
    }
    text.append(ValueText(node.value));
    separator = ", ";
  }
  text.push_back(is_array ? ']' : '}');
  return text;
}

}  // namespace flarestack::model
