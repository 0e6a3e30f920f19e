// SPDX-License-Identifier: Apache-2.0
#include "model/dump.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/encoding.h"
#include "base/hash.h"
#include "base/text.h"

namespace flarestack::model {
namespace {

// A text in quotes, such that different bytes look different: where the text is not valid UTF-8,
// all bytes beyond ASCII are written as \xNN, which no valid text contains.
std::string Quoted(std::string_view text) {
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

bool IsZero(std::string_view id) { return id.find_first_not_of('\0') == std::string_view::npos; }

std::string DoubleText(double number) {
  if (std::isnan(number)) {
    return "nan";  // whatever its sign and payload
  }
  return base::StrCat(number);
}

class Dumper {
 public:
  explicit Dumper(const Batch& batch) : batch_(batch), tables_(batch.dictionary) {}

  std::string Run() {
    for (const Resource& resource : batch_.resources) {
      Add(resource);
    }
    return std::move(out_);
  }

 private:
  // One level of indentation for as long as it lives.
  class Nest {
   public:
    explicit Nest(Dumper* dumper) : dumper_(dumper) { dumper_->indent_ += 2; }
    ~Nest() { dumper_->indent_ -= 2; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    Dumper* dumper_;
  };

  template <typename... Args>
  void Line(const Args&... args) {
    out_.append(indent_, ' ');
    base::StrAppend(&out_, args...);
    out_.push_back('\n');
  }
  template <typename T>
  void NumberLine(std::string_view name, T number) {
    if (number != 0) {
      Line(name, " ", number);
    }
  }
  void TextLine(std::string_view name, std::string_view text) {
    if (!text.empty()) {
      Line(name, " ", Quoted(text));
    }
  }
  template <typename T>
  void ListLine(std::string_view name, std::span<const T> items) {
    if (items.empty()) {
      return;
    }
    std::string text(name);
    for (const T& item : items) {
      base::StrAppend(&text, " ", item);
    }
    Line(text);
  }

  void Add(const Resource& resource);
  void Add(const EntityRef& ref);
  void Add(const Scope& scope);
  void Add(const Profile& profile);
  void AddType(std::string_view name, const ValueType& type);
  void Add(const Sample& sample);
  void Add(const Location& location);
  void Add(const Mapping& mapping);
  void AddFrame(const model::Line& line);
  void AddSorted(std::vector<std::string> lines);
  void AddAttributes(Slice attributes);  // in attribute_indices
  void AddNodes(Slice nodes);            // in nodes
  std::string ValueText(const AnyValue& value) const;

  const Batch& batch_;
  const Dictionary& tables_;
  std::string out_;
  size_t indent_ = 0;
};

void Dumper::Add(const Resource& resource) {
  Line(resource.present ? "resource" : "resource absent");
  const Nest nest(this);
  TextLine("schema_url", resource.schema_url);
  NumberLine("dropped_attributes_count", resource.dropped_attributes_count);
  AddNodes(resource.attributes);
  for (const EntityRef& ref : In(batch_.entity_refs, resource.entity_refs)) {
    Add(ref);
  }
  for (const Scope& scope : In(batch_.scopes, resource.scopes)) {
    Add(scope);
  }
}

void Dumper::Add(const EntityRef& ref) {
  Line("entity_ref ", Quoted(ref.type));
  const Nest nest(this);
  TextLine("schema_url", ref.schema_url);
  for (const std::string_view key : In(batch_.entity_keys, ref.id_keys)) {
    Line("id_key ", Quoted(key));
  }
  for (const std::string_view key : In(batch_.entity_keys, ref.description_keys)) {
    Line("description_key ", Quoted(key));
  }
}

void Dumper::Add(const Scope& scope) {
  Line(scope.present ? "scope" : "scope absent");
  const Nest nest(this);
  TextLine("name", scope.name);
  TextLine("version", scope.version);
  TextLine("schema_url", scope.schema_url);
  NumberLine("dropped_attributes_count", scope.dropped_attributes_count);
  AddNodes(scope.attributes);
  for (const Profile& profile : In(batch_.profiles, scope.profiles)) {
    Add(profile);
  }
}

void Dumper::Add(const Profile& profile) {
  Line("profile");
  const Nest nest(this);
  AddType("sample_type", profile.sample_type);
  AddType("period_type", profile.period_type);
  NumberLine("period", profile.period);
  NumberLine("time_unix_nano", profile.time_unix_nano);
  NumberLine("duration_nano", profile.duration_nano);
  if (!IsZero(profile.profile_id)) {
    Line("profile_id ", base::HexEncode(profile.profile_id));
  }
  NumberLine("dropped_attributes_count", profile.dropped_attributes_count);
  TextLine("original_payload_format", profile.original_payload_format);
  if (!profile.original_payload.empty()) {
    Line("original_payload ", profile.original_payload.size(), " bytes, hash ",
         base::HashContent(profile.original_payload).ToHex());
  }
  AddAttributes(profile.attributes);
  for (const Sample& sample : In(batch_.samples, profile.samples)) {
    Add(sample);
  }
}

void Dumper::AddType(std::string_view name, const ValueType& type) {
  const std::string_view type_text = tables_.Text(type.type);
  const std::string_view unit_text = tables_.Text(type.unit);
  if (!type_text.empty() || !unit_text.empty()) {
    Line(name, " ", Quoted(type_text), " unit ", Quoted(unit_text));
  }
}

void Dumper::Add(const Sample& sample) {
  Line("sample");
  const Nest nest(this);
  ListLine("values", In(batch_.values, sample.values));
  ListLine("timestamps", In(batch_.timestamps, sample.timestamps));
  const Link& link = tables_.links[sample.link.value];
  if (!IsZero(link.trace_id) || !IsZero(link.span_id)) {
    Line("link trace ", base::HexEncode(link.trace_id), " span ", base::HexEncode(link.span_id));
  }
  AddAttributes(sample.attributes);
  const Stack& stack = tables_.stacks[sample.stack.value];
  for (const LocationIndex index : In(tables_.location_indices, stack.locations)) {
    Add(tables_.locations[index.value]);
  }
}

void Dumper::Add(const Location& location) {
  Line("location ", base::Hex(location.address));
  const Nest nest(this);
  Add(tables_.mappings[location.mapping.value]);
  AddAttributes(location.attributes);
  for (const model::Line& line : In(tables_.lines, location.lines)) {
    AddFrame(line);
  }
}

void Dumper::Add(const Mapping& mapping) {
  const std::string_view filename = tables_.Text(mapping.filename);
  if (filename.empty() && mapping.memory_start == 0 && mapping.memory_limit == 0 &&
      mapping.file_offset == 0 && mapping.attributes.empty()) {
    return;
  }
  Line("mapping ", Quoted(filename), " ", base::Hex(mapping.memory_start), "-",
       base::Hex(mapping.memory_limit), " offset ", base::Hex(mapping.file_offset));
  const Nest nest(this);
  AddAttributes(mapping.attributes);
}

void Dumper::AddFrame(const model::Line& line) {
  const Function& function = tables_.functions[line.function.value];
  std::string text = base::StrCat("frame ", Quoted(tables_.Text(function.name)));
  const auto add_text = [&](std::string_view name, StringIndex index) {
    if (!tables_.Text(index).empty()) {
      base::StrAppend(&text, " ", name, " ", Quoted(tables_.Text(index)));
    }
  };
  const auto add_number = [&](std::string_view name, int64_t number) {
    if (number != 0) {
      base::StrAppend(&text, " ", name, " ", number);
    }
  };
  add_text("system_name", function.system_name);
  add_text("file", function.filename);
  add_number("start_line", function.start_line);
  add_number("line", line.line);
  add_number("column", line.column);
  Line(text);
}

void Dumper::AddSorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  for (const std::string& line : lines) {
    Line(line);
  }
}

void Dumper::AddAttributes(Slice attributes) {
  std::vector<std::string> lines;
  for (const AttributeIndex index : In(tables_.attribute_indices, attributes)) {
    const Attribute& attribute = tables_.attributes[index.value];
    const std::string_view unit = tables_.Text(attribute.unit);
    lines.push_back(base::StrCat("attribute ", Quoted(tables_.Text(attribute.key)), " = ",
                                 ValueText(attribute.value), unit.empty() ? "" : " unit ",
                                 unit.empty() ? "" : Quoted(unit)));
  }
  AddSorted(std::move(lines));
}

void Dumper::AddNodes(Slice nodes) {
  std::vector<std::string> lines;
  for (const KeyValue& node : In(tables_.nodes, nodes)) {
    lines.push_back(
        base::StrCat("attribute ", Quoted(tables_.Key(node)), " = ", ValueText(node.value)));
  }
  AddSorted(std::move(lines));
}

std::string Dumper::ValueText(const AnyValue& value) const {
  using Kind = AnyValue::Kind;
  switch (value.kind) {
    case Kind::kEmpty:
      return "empty";
    case Kind::kString:
    case Kind::kStringIndex:
      return base::StrCat("string ", Quoted(tables_.String(value)));
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
  for (const KeyValue& node : In(tables_.nodes, value.nodes)) {
    text.append(separator);
    if (!is_array) {
      base::StrAppend(&text, Quoted(tables_.Key(node)), " = ");
    }
    text.append(ValueText(node.value));
    separator = ", ";
  }
  text.push_back(is_array ? ']' : '}');
  return text;
}

}  // namespace

std::string Dump(const Batch& batch) { return Dumper(batch).Run(); }

}  // namespace flarestack::model
