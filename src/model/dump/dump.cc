// SPDX-License-Identifier: Apache-2.0
#include "model/dump/dump.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "model/dump/dump_lines.h"

namespace flarestack::model {
namespace {

bool IsZero(std::string_view id) { return id.find_first_not_of('\0') == std::string_view::npos; }

class Dumper : private DumpLines {
 public:
  explicit Dumper(const Batch& batch)
      : DumpLines(batch.dictionary.nodes, &batch.dictionary.strings),
        batch_(batch),
        tables_(batch.dictionary) {}

  std::string Run() {
    for (const Resource& resource : batch_.resources) {
      Add(resource);
    }
    return TakeText();
  }

 private:
  void Add(const Resource& resource);
  void Add(const Scope& scope);
  void Add(const Profile& profile);
  void AddType(std::string_view name, const ValueType& type);
  void Add(const Sample& sample);
  void Add(const Location& location);
  void Add(const Mapping& mapping);
  void AddFrame(const model::Line& line);
  void AddAttributes(Slice attributes);  // in attribute_indices

  const Batch& batch_;
  const Dictionary& tables_;
};

void Dumper::Add(const Resource& resource) {
  AddHead(resource, In(batch_.entity_refs, resource.entity_refs), batch_.entity_keys);
  const Nest nest(this);
  for (const Scope& scope : In(batch_.scopes, resource.scopes)) {
    Add(scope);
  }
}

void Dumper::Add(const Scope& scope) {
  AddHead(scope);
  const Nest nest(this);
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

}  // namespace

std::string Dump(const Batch& batch) { return Dumper(batch).Run(); }

}  // namespace flarestack::model
