// SPDX-License-Identifier: Apache-2.0
//
// Checks every index against the size of its table, and finds index 0 where an entry is expected.
#include <algorithm>

#include "base/status.h"
#include "base/text/text.h"
#include "check/checks.h"

namespace flarestack::check {
namespace {

using base::StrCat;
using model::AnyValue;

class IndexChecker {
 public:
  explicit IndexChecker(const Context& in) : in_(in), tables_(in.tables) {}

  void Run() const {
    ForEachAttributeOwner(in_, [&](model::Slice nodes, const Path& at) {
      CheckNodes(nodes, at, "attributes", /*are_key_values=*/true);
    });
    ForEachProfile(in_, [&](const model::Profile& profile, const Path& at) {
      CheckType(profile.sample_type, at.Field("sample_type"));
      CheckType(profile.period_type, at.Field("period_type"));
      CheckAttributes(profile.attributes, at);
      for (uint32_t i = 0; i < profile.samples.count; ++i)
        CheckSample(in_.batch.samples[profile.samples.begin + i], at.Item("samples", i));
    });
    CheckTables();
  }

 private:
  // Index 0 means "not set" even in an empty table; another rule reports the empty table.
  void Check(Rule rule, uint32_t index, size_t size, std::string_view table, const Path& at) const {
    if (index < size || (index == 0 && size == 0))
      return;
    in_.findings.Add(rule, at, [&] {
      const std::string found = StrCat(static_cast<int32_t>(index), ", but ");
      if (size == 0)
        return StrCat(found, table, " is empty");
      return StrCat(found, table, size == 1 ? " has 1 entry" : StrCat(" has ", size, " entries"),
                    "; the largest index is ", size - 1, ", and 0 means \"not set\"");
    });
  }
  void CheckString(model::StringIndex index, std::string_view field, const Path& at) const {
    Check(Rule::kStringIndexRange, index.value, tables_.strings.size(), "string_table",
          at.Field(field));
  }
  void CheckAttributes(model::Slice slice, const Path& at) const {
    for (uint32_t i = 0; i < slice.count; ++i) {
      Check(Rule::kAttributeIndexRange, tables_.attribute_indices[slice.begin + i].value,
            tables_.attributes.size(), "attribute_table", at.Item("attribute_indices", i));
    }
  }
  void CheckType(const model::ValueType& type, const Path& at) const {
    CheckString(type.type, "type_strindex", at);
    CheckString(type.unit, "unit_strindex", at);
  }
  void CheckSample(const model::Sample& sample, const Path& at) const {
    Check(Rule::kStackIndexRange, sample.stack.value, tables_.stacks.size(), "stack_table",
          at.Field("stack_index"));
    Check(Rule::kLinkIndexRange, sample.link.value, tables_.links.size(), "link_table",
          at.Field("link_index"));
    CheckAttributes(sample.attributes, at);
  }

  void CheckValue(const AnyValue& value, const Path& at) const {
    if (value.kind == AnyValue::Kind::kStringIndex) {
      CheckString(value.string_index, "string_value_strindex", at);
    } else if (value.kind == AnyValue::Kind::kArray) {
      CheckNodes(value.nodes, at.Field("array_value"), "values", /*are_key_values=*/false);
    } else if (value.kind == AnyValue::Kind::kKeyValueList) {
      CheckNodes(value.nodes, at.Field("kvlist_value"), "values", /*are_key_values=*/true);
    }
  }
  void CheckNodes(model::Slice nodes, const Path& at, std::string_view list,
                  bool are_key_values) const {
    for (uint32_t i = 0; i < nodes.count; ++i) {
      const model::KeyValue& node = tables_.nodes[nodes.begin + i];
      const Path item = at.Item(list, i);
      if (are_key_values) {
        CheckString(node.key_index, "key_strindex", item);
        CheckValue(node.value, item.Field("value"));
      } else {
        CheckValue(node.value, item);
      }
    }
  }

  void CheckTables() const {
    const Path at = in_.root.Field("dictionary");
    for (size_t i = 0; i < tables_.mappings.size(); ++i) {
      const Path entry = at.Item("mapping_table", i);
      CheckString(tables_.mappings[i].filename, "filename_strindex", entry);
      CheckAttributes(tables_.mappings[i].attributes, entry);
    }
    for (size_t i = 0; i < tables_.locations.size(); ++i)
      CheckLocation(tables_.locations[i], at.Item("location_table", i));
    for (size_t i = 0; i < tables_.functions.size(); ++i) {
      const Path entry = at.Item("function_table", i);
      CheckString(tables_.functions[i].name, "name_strindex", entry);
      CheckString(tables_.functions[i].system_name, "system_name_strindex", entry);
      CheckString(tables_.functions[i].filename, "filename_strindex", entry);
    }
    for (size_t i = 0; i < tables_.attributes.size(); ++i) {
      const Path entry = at.Item("attribute_table", i);
      CheckString(tables_.attributes[i].key, "key_strindex", entry);
      CheckString(tables_.attributes[i].unit, "unit_strindex", entry);
      CheckValue(tables_.attributes[i].value, entry.Field("value"));
    }
    for (size_t i = 0; i < tables_.stacks.size(); ++i) {
      const Path entry = at.Item("stack_table", i);
      const model::Slice locations = tables_.stacks[i].locations;
      for (uint32_t k = 0; k < locations.count; ++k) {
        Check(Rule::kLocationIndexRange, tables_.location_indices[locations.begin + k].value,
              tables_.locations.size(), "location_table", entry.Item("location_indices", k));
      }
    }
  }
  void CheckLocation(const model::Location& location, const Path& at) const {
    Check(Rule::kMappingIndexRange, location.mapping.value, tables_.mappings.size(),
          "mapping_table", at.Field("mapping_index"));
    for (uint32_t k = 0; k < location.lines.count; ++k) {
      const Path line = at.Item("lines", k);
      Check(Rule::kFunctionIndexRange, tables_.lines[location.lines.begin + k].function.value,
            tables_.functions.size(), "function_table", line.Field("function_index"));
    }
    CheckAttributes(location.attributes, at);
  }

  const Context& in_;
  const model::Dictionary& tables_;
};

uint64_t RangeFindings(const Collector& findings) {
  uint64_t count = 0;
  for (const Rule rule :
       {Rule::kStringIndexRange, Rule::kMappingIndexRange, Rule::kLocationIndexRange,
        Rule::kFunctionIndexRange, Rule::kLinkIndexRange, Rule::kAttributeIndexRange,
        Rule::kStackIndexRange}) {
    count += findings.count(rule);
  }
  return count;
}

bool HasEmptyTable(const model::Dictionary& tables) {
  return tables.mappings.empty() || tables.locations.empty() || tables.functions.empty() ||
         tables.links.empty() || tables.strings.empty() || tables.attributes.empty() ||
         tables.stacks.empty();
}

// Nearly always there is none, and one quick pass proves it.
template <typename T>
bool HasNull(const std::vector<T>& indices) {
  constexpr size_t kAtOnce = 64;
  size_t at = 0;
  for (; at + kAtOnce <= indices.size(); at += kAtOnce) {
    uint32_t found = 0;
    for (size_t i = 0; i < kAtOnce; ++i)
      found |= indices[at + i].value == 0 ? 1U : 0U;
    if (found != 0)
      return true;
  }
  return std::any_of(indices.begin() + static_cast<std::ptrdiff_t>(at), indices.end(),
                     [](T index) { return !index; });
}

void CheckNullAttributes(const Context& in, model::Slice slice, const Path& at) {
  for (uint32_t i = 0; i < slice.count; ++i) {
    if (in.tables.attribute_indices[slice.begin + i])
      continue;
    in.findings.Add(Rule::kNullAttribute, at.Item("attribute_indices", i),
                    [] { return "0, which is not an attribute; omit it from the list"; });
  }
}

void CheckNullsInTables(const Context& in) {
  const model::Dictionary& tables = in.tables;
  const Path at = in.root.Field("dictionary");
  for (size_t i = 0; i < tables.mappings.size(); ++i)
    CheckNullAttributes(in, tables.mappings[i].attributes, at.Item("mapping_table", i));
  for (size_t i = 0; i < tables.locations.size(); ++i) {
    const model::Location& location = tables.locations[i];
    const Path entry = at.Item("location_table", i);
    CheckNullAttributes(in, location.attributes, entry);
    for (uint32_t k = 0; k < location.lines.count; ++k) {
      if (tables.lines[location.lines.begin + k].function)
        continue;
      const Path line = entry.Item("lines", k);
      in.findings.Add(Rule::kNullFunction, line.Field("function_index"), [] {
        return "0, so the line has no function; omit the line or set its function";
      });
    }
  }
  if (!HasNull(tables.location_indices))
    return;
  for (size_t i = 0; i < tables.stacks.size(); ++i) {
    const Path entry = at.Item("stack_table", i);
    const model::Slice locations = tables.stacks[i].locations;
    for (uint32_t k = 0; k < locations.count; ++k) {
      if (tables.location_indices[locations.begin + k])
        continue;
      in.findings.Add(Rule::kNullLocation, entry.Item("location_indices", k),
                      [] { return "0, so the frame is unknown; omit it or set a location"; });
    }
  }
}

void CheckNulls(const Context& in) {
  ForEachProfile(in, [&](const model::Profile& profile, const Path& at) {
    CheckNullAttributes(in, profile.attributes, at);
    for (uint32_t i = 0; i < profile.samples.count; ++i) {
      const model::Sample& sample = in.batch.samples[profile.samples.begin + i];
      const Path entry = at.Item("samples", i);
      CheckNullAttributes(in, sample.attributes, entry);
      if (!sample.stack && !in.tables.stacks.empty()) {
        in.findings.Add(Rule::kNullStack, entry.Field("stack_index"),
                        [] { return "0, so the sample has no stack"; });
      }
    }
  });
  CheckNullsInTables(in);
}

}  // namespace

void CheckIndices(const Context& in) {
  if (!in.indices_are_valid()) {
    const uint64_t found_before = RangeFindings(in.findings);
    IndexChecker(in).Run();
    // The bad index is in a value that a later member of the same oneof replaced.
    if (RangeFindings(in.findings) == found_before && !HasEmptyTable(in.tables)) {
      in.findings.Add(Rule::kStringIndexRange, in.root.Field("dictionary"),
                      [&] { return std::string(base::Message(in.index_fault)); });
    }
  }
  CheckNulls(in);
}

}  // namespace flarestack::check
