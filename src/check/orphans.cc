// SPDX-License-Identifier: Apache-2.0
//
// Finds unreferenced entries. Marks everything reachable from profiles, samples, resources and
// scopes, and follows only entries that are themselves used.
#include "base/text/text.h"
#include "check/checks.h"

namespace flarestack::check {
namespace {

using base::StrCat;
using model::AnyValue;

using Marks = std::vector<uint8_t>;

class Marker {
 public:
  explicit Marker(const Context& in)
      : in_(in),
        tables_(in.tables),
        mappings_(tables_.mappings.size()),
        locations_(tables_.locations.size()),
        functions_(tables_.functions.size()),
        links_(tables_.links.size()),
        strings_(tables_.strings.size()),
        attributes_(tables_.attributes.size()),
        stacks_(tables_.stacks.size()) {}

  // Visits each table once, after all tables that can refer to it.
  void Run() {
    ForEachAttributeOwner(in_, [&](model::Slice nodes, const Path&) { MarkNodes(nodes); });
    ForEachProfile(in_, [&](const model::Profile& profile, const Path&) { MarkProfile(profile); });
    for (size_t i = 0; i < stacks_.size(); ++i) {
      if (stacks_[i] == 0)
        continue;
      for (const auto location : model::In(tables_.location_indices, tables_.stacks[i].locations))
        Mark(location.value, &locations_);
    }
    MarkFromLocations();
    for (size_t i = 0; i < mappings_.size(); ++i) {
      if (mappings_[i] == 0)
        continue;
      Mark(tables_.mappings[i].filename.value, &strings_);
      MarkAttributes(tables_.mappings[i].attributes);
    }
    for (size_t i = 0; i < functions_.size(); ++i) {
      if (functions_[i] == 0)
        continue;
      Mark(tables_.functions[i].name.value, &strings_);
      Mark(tables_.functions[i].system_name.value, &strings_);
      Mark(tables_.functions[i].filename.value, &strings_);
    }
    for (size_t i = 0; i < attributes_.size(); ++i) {
      if (attributes_[i] == 0)
        continue;
      Mark(tables_.attributes[i].key.value, &strings_);
      Mark(tables_.attributes[i].unit.value, &strings_);
      MarkValue(tables_.attributes[i].value);
    }
  }

  void Report() const {
    Report(mappings_, "mapping_table");
    Report(locations_, "location_table");
    Report(functions_, "function_table");
    Report(links_, "link_table");
    Report(strings_, "string_table");
    Report(attributes_, "attribute_table");
    Report(stacks_, "stack_table");
  }

 private:
  static void Mark(uint32_t index, Marks* marks) {
    if (index < marks->size())
      (*marks)[index] = 1;
  }
  void MarkAttributes(model::Slice slice) {
    for (const model::AttributeIndex index : model::In(tables_.attribute_indices, slice))
      Mark(index.value, &attributes_);
  }
  void MarkProfile(const model::Profile& profile) {
    for (const model::ValueType& type : {profile.sample_type, profile.period_type}) {
      Mark(type.type.value, &strings_);
      Mark(type.unit.value, &strings_);
    }
    MarkAttributes(profile.attributes);
    for (const model::Sample& sample : model::In(in_.batch.samples, profile.samples)) {
      Mark(sample.stack.value, &stacks_);
      Mark(sample.link.value, &links_);
      MarkAttributes(sample.attributes);
    }
  }
  void MarkFromLocations() {
    for (size_t i = 0; i < locations_.size(); ++i) {
      if (locations_[i] == 0)
        continue;
      const model::Location& location = tables_.locations[i];
      Mark(location.mapping.value, &mappings_);
      for (const model::Line& line : model::In(tables_.lines, location.lines))
        Mark(line.function.value, &functions_);
      MarkAttributes(location.attributes);
    }
  }
  void MarkValue(const AnyValue& value) {
    if (value.kind == AnyValue::Kind::kStringIndex) {
      Mark(value.string_index.value, &strings_);
    } else if (value.kind == AnyValue::Kind::kArray ||
               value.kind == AnyValue::Kind::kKeyValueList) {
      MarkNodes(value.nodes);
    }
  }
  void MarkNodes(model::Slice nodes) {
    for (const model::KeyValue& node : model::In(tables_.nodes, nodes)) {
      Mark(node.key_index.value, &strings_);
      MarkValue(node.value);
    }
  }

  void Report(const Marks& marks, std::string_view table) const {
    const Path at = in_.root.Field("dictionary");
    for (size_t i = 1; i < marks.size(); ++i) {
      if (marks[i] != 0)
        continue;
      in_.findings.Add(Rule::kOrphanEntry, at.Item(table, i), [&] {
        return StrCat("no profile, sample, resource or scope refers to this entry",
                      table == "string_table" ? StrCat(", ", Quote(tables_.strings[i])) : "",
                      "; omit it");
      });
    }
  }

  const Context& in_;
  const model::Dictionary& tables_;
  Marks mappings_;
  Marks locations_;
  Marks functions_;
  Marks links_;
  Marks strings_;
  Marks attributes_;
  Marks stacks_;
};

}  // namespace

void CheckOrphans(const Context& in) {
  Marker marker(in);
  marker.Run();
  marker.Report();
}

}  // namespace flarestack::check
