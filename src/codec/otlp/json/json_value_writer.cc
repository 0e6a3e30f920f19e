// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/json/json_value_writer.h"

#include "codec/otlp/json/json_value.h"

namespace flarestack::codec::otlp {
namespace {

using model::AnyValue;
using model::Dictionary;
using model::KeyValue;

void WriteArrayValue(const JsonValues& values, model::Slice nodes, JsonOutput* out) {
  out->Name("arrayValue");
  out->BeginObject();
  if (!nodes.empty()) {
    out->Name("values");
    out->BeginArray();
    for (const KeyValue& node : In(values.nodes, nodes)) {
      WriteJsonValue(values, node.value, out);
    }
    out->EndArray();
  }
  out->EndObject();
}

void WriteString(const JsonValues& values, const AnyValue& value, JsonOutput* out) {
  const bool is_reference = value.kind == AnyValue::Kind::kStringIndex;
  if (is_reference && values.references == JsonReferences::kKeep) {
    out->Name("stringValueStrindex");
    out->Index(value.string_index);
    return;
  }
  out->Name("stringValue");
  out->String(is_reference ? values.dictionary->String(value) : value.text);
}

}  // namespace

// A member of a oneof has presence: it is written even with its default value.
void WriteJsonValue(const JsonValues& values, const AnyValue& value, JsonOutput* out) {
  using Kind = AnyValue::Kind;
  out->BeginObject();
  switch (value.kind) {
    case Kind::kEmpty:
      break;
    case Kind::kString:
    case Kind::kStringIndex:
      WriteString(values, value, out);
      break;
    case Kind::kBool:
      out->Name("boolValue");
      out->Bool(value.bool_value);
      break;
    case Kind::kInt:
      out->Name("intValue");
      out->Integer(value.int_value);
      break;
    case Kind::kDouble:
      out->Name("doubleValue");
      out->Double(value.double_value);
      break;
    case Kind::kArray:
      WriteArrayValue(values, value.nodes, out);
      break;
    case Kind::kKeyValueList:
      out->Name("kvlistValue");
      out->BeginObject();
      WriteJsonKeyValues(values, "values", value.nodes, out);
      out->EndObject();
      break;
    case Kind::kBytes:
      out->Name("bytesValue");
      out->Base64(value.text);
      break;
  }
  out->EndObject();
}

void WriteJsonKeyValues(const JsonValues& values, std::string_view name, model::Slice nodes,
                        JsonOutput* out) {
  if (nodes.empty()) {
    return;
  }
  const bool resolve = values.references == JsonReferences::kResolve;
  out->Name(name);
  out->BeginArray();
  for (const KeyValue& node : In(values.nodes, nodes)) {
    out->BeginObject();
    out->StringField("key", resolve ? values.dictionary->Key(node) : node.key);
    if (node.value.kind != AnyValue::Kind::kEmpty) {
      out->Name("value");
      WriteJsonValue(values, node.value, out);
    }
    if (!resolve) {
      out->IndexField("keyStrindex", node.key_index);
    }
    out->EndObject();
  }
  out->EndArray();
}

void EncodeJsonValue(const Dictionary& dictionary, const AnyValue& value, std::string* out) {
  const auto append = [out](std::string_view piece) {
    out->append(piece);
    return absl::OkStatus();
  };
  JsonOutput output(append);
  WriteJsonValue({.nodes = dictionary.nodes,
                  .dictionary = &dictionary,
                  .references = JsonReferences::kResolve},
                 value, &output);
  output.Finish().IgnoreError();  // appending to a string does not fail
}

}  // namespace flarestack::codec::otlp
