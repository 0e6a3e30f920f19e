// SPDX-License-Identifier: Apache-2.0
#include "model/validation/validate.h"

#include <algorithm>

#include "base/status.h"
#include "base/text/text.h"
#include "model/validation/text_repair.h"

namespace flarestack::model {
namespace {

using base::StrCat;

// Finds the first bad index and its path. Runs only if the quick check below found a bad index.
class Finder {
 public:
  explicit Finder(const Batch& batch) : batch_(batch), tables_(batch.dictionary) {}

  absl::Status Find() const {
    FLARE_RETURN_IF_ERROR(FindInTree());
    FLARE_RETURN_IF_ERROR(FindInTables());
    return absl::InvalidArgumentError(
        "a table has no entry 0, or an unreferenced index is out of range");
  }

 private:
  static absl::Status Check(uint32_t index, size_t size, const std::string& path,
                            std::string_view table) {
    if (index < size)
      return absl::OkStatus();
    return absl::InvalidArgumentError(StrCat(path, ": ", static_cast<int32_t>(index), ", but the ",
                                             table, " has ", size, " entries"));
  }
  absl::Status CheckString(StringIndex index, const std::string& path) const {
    return Check(index.value, tables_.strings.size(), path, "string_table");
  }
  absl::Status CheckAttributes(Slice slice, const std::string& path) const {
    size_t i = 0;
    for (const AttributeIndex index : In(tables_.attribute_indices, slice)) {
      FLARE_RETURN_IF_ERROR(Check(index.value, tables_.attributes.size(),
                                  StrCat(path, ".attribute_indices[", i++, "]"),
                                  "attribute_table"));
    }
    return absl::OkStatus();
  }
  absl::Status CheckType(const ValueType& type, const std::string& path) const {
    FLARE_RETURN_IF_ERROR(CheckString(type.type, path + ".type_strindex"));
    return CheckString(type.unit, path + ".unit_strindex");
  }

  absl::Status CheckValue(const AnyValue& value, const std::string& path) const {
    switch (value.kind) {
      case AnyValue::Kind::kStringIndex:
        return CheckString(value.string_index, path + ".string_value_strindex");
      case AnyValue::Kind::kArray:
        return CheckNodes(value.nodes, path + ".array_value.values");
      case AnyValue::Kind::kKeyValueList:
        return CheckNodes(value.nodes, path + ".kvlist_value.values");
      default:
        return absl::OkStatus();
    }
  }
  absl::Status CheckNodes(Slice nodes, const std::string& path) const {
    size_t i = 0;
    for (const KeyValue& node : In(tables_.nodes, nodes)) {
      const std::string at = StrCat(path, "[", i++, "]");
      FLARE_RETURN_IF_ERROR(CheckString(node.key_index, at + ".key_strindex"));
      FLARE_RETURN_IF_ERROR(CheckValue(node.value, at));
    }
    return absl::OkStatus();
  }

  absl::Status FindInTree() const {
    for (size_t r = 0; r < batch_.resources.size(); ++r) {
      const Resource& resource = batch_.resources[r];
      const std::string at = StrCat("resource_profiles[", r, "]");
      FLARE_RETURN_IF_ERROR(CheckNodes(resource.attributes, at + ".resource.attributes"));
      for (uint32_t s = 0; s < resource.scopes.count; ++s) {
        FLARE_RETURN_IF_ERROR(FindInScope(batch_.scopes[resource.scopes.begin + s],
                                          StrCat(at, ".scope_profiles[", s, "]")));
      }
    }
    return absl::OkStatus();
  }

  absl::Status FindInScope(const Scope& scope, const std::string& at) const {
    FLARE_RETURN_IF_ERROR(CheckNodes(scope.attributes, at + ".scope.attributes"));
    for (uint32_t p = 0; p < scope.profiles.count; ++p) {
      FLARE_RETURN_IF_ERROR(FindInProfile(batch_.profiles[scope.profiles.begin + p],
                                          StrCat(at, ".profiles[", p, "]")));
    }
    return absl::OkStatus();
  }

  absl::Status FindInProfile(const Profile& profile, const std::string& at) const {
    FLARE_RETURN_IF_ERROR(CheckType(profile.sample_type, at + ".sample_type"));
    FLARE_RETURN_IF_ERROR(CheckType(profile.period_type, at + ".period_type"));
    FLARE_RETURN_IF_ERROR(CheckAttributes(profile.attributes, at));
    for (uint32_t i = 0; i < profile.samples.count; ++i) {
      const Sample& sample = batch_.samples[profile.samples.begin + i];
      const std::string path = StrCat(at, ".samples[", i, "]");
      FLARE_RETURN_IF_ERROR(
          Check(sample.stack.value, tables_.stacks.size(), path + ".stack_index", "stack_table"));
      FLARE_RETURN_IF_ERROR(
          Check(sample.link.value, tables_.links.size(), path + ".link_index", "link_table"));
      FLARE_RETURN_IF_ERROR(CheckAttributes(sample.attributes, path));
    }
    return absl::OkStatus();
  }

  absl::Status FindInTables() const {
    for (size_t i = 0; i < tables_.mappings.size(); ++i) {
      const std::string at = StrCat("dictionary.mapping_table[", i, "]");
      FLARE_RETURN_IF_ERROR(CheckString(tables_.mappings[i].filename, at + ".filename_strindex"));
      FLARE_RETURN_IF_ERROR(CheckAttributes(tables_.mappings[i].attributes, at));
    }
    for (size_t i = 0; i < tables_.functions.size(); ++i) {
      const std::string at = StrCat("dictionary.function_table[", i, "]");
      FLARE_RETURN_IF_ERROR(CheckString(tables_.functions[i].name, at + ".name_strindex"));
      FLARE_RETURN_IF_ERROR(
          CheckString(tables_.functions[i].system_name, at + ".system_name_strindex"));
      FLARE_RETURN_IF_ERROR(CheckString(tables_.functions[i].filename, at + ".filename_strindex"));
    }
    for (size_t i = 0; i < tables_.attributes.size(); ++i) {
      const std::string at = StrCat("dictionary.attribute_table[", i, "]");
      FLARE_RETURN_IF_ERROR(CheckString(tables_.attributes[i].key, at + ".key_strindex"));
      FLARE_RETURN_IF_ERROR(CheckString(tables_.attributes[i].unit, at + ".unit_strindex"));
      FLARE_RETURN_IF_ERROR(CheckValue(tables_.attributes[i].value, at + ".value"));
    }
    FLARE_RETURN_IF_ERROR(FindInLocations());
    for (size_t i = 0; i < tables_.stacks.size(); ++i) {
      const Slice locations = tables_.stacks[i].locations;
      for (uint32_t k = 0; k < locations.count; ++k) {
        FLARE_RETURN_IF_ERROR(Check(
            tables_.location_indices[locations.begin + k].value, tables_.locations.size(),
            StrCat("dictionary.stack_table[", i, "].location_indices[", k, "]"), "location_table"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status FindInLocations() const {
    for (size_t i = 0; i < tables_.locations.size(); ++i) {
      const Location& location = tables_.locations[i];
      const std::string at = StrCat("dictionary.location_table[", i, "]");
      FLARE_RETURN_IF_ERROR(Check(location.mapping.value, tables_.mappings.size(),
                                  at + ".mapping_index", "mapping_table"));
      FLARE_RETURN_IF_ERROR(CheckAttributes(location.attributes, at));
      for (uint32_t k = 0; k < location.lines.count; ++k) {
        FLARE_RETURN_IF_ERROR(
            Check(tables_.lines[location.lines.begin + k].function.value, tables_.functions.size(),
                  StrCat(at, ".lines[", k, "].function_index"), "function_table"));
      }
    }
    return absl::OkStatus();
  }

  const Batch& batch_;
  const Dictionary& tables_;
};

// Compares the largest index of each kind, in one branch-free pass per table.
bool AllIndicesInRange(const Batch& batch) {
  const Dictionary& tables = batch.dictionary;
  uint32_t string = 0;
  uint32_t function = 0;
  uint32_t mapping = 0;
  uint32_t location = 0;
  uint32_t attribute = 0;
  uint32_t stack = 0;
  uint32_t link = 0;
  const auto raise = [](uint32_t& largest, auto index) {
    largest = std::max(largest, index.value);
  };
  for (const Mapping& entry : tables.mappings)
    raise(string, entry.filename);
  for (const Function& entry : tables.functions) {
    raise(string, entry.name);
    raise(string, entry.system_name);
    raise(string, entry.filename);
  }
  for (const Attribute& entry : tables.attributes) {
    raise(string, entry.key);
    raise(string, entry.unit);
    raise(string, entry.value.string_index);
  }
  for (const KeyValue& node : tables.nodes) {
    raise(string, node.key_index);
    raise(string, node.value.string_index);
  }
  for (const Location& entry : tables.locations)
    raise(mapping, entry.mapping);
  for (const Line& line : tables.lines)
    raise(function, line.function);
  for (const LocationIndex index : tables.location_indices)
    raise(location, index);
  for (const AttributeIndex index : tables.attribute_indices)
    raise(attribute, index);
  for (const Profile& profile : batch.profiles) {
    for (const ValueType& type : {profile.sample_type, profile.period_type}) {
      raise(string, type.type);
      raise(string, type.unit);
    }
  }
  for (const Sample& sample : batch.samples) {
    raise(stack, sample.stack);
    raise(link, sample.link);
  }
  return string < tables.strings.size() && function < tables.functions.size() &&
         mapping < tables.mappings.size() && location < tables.locations.size() &&
         attribute < tables.attributes.size() && stack < tables.stacks.size() &&
         link < tables.links.size();
}

}  // namespace

absl::Status ValidateIndices(const Batch& batch) {
  if (AllIndicesInRange(batch)) [[likely]] {
    return absl::OkStatus();
  }
  return Finder(batch).Find();
}

void RepairText(Batch* batch, base::Warnings* warnings) {
  TextRepair texts(&batch->arena, warnings);
  for (std::string_view& text : batch->dictionary.strings)
    texts.Repair(&text, "dictionary.string_table");
  for (Attribute& attribute : batch->dictionary.attributes) {
    texts.RepairValue(&attribute.value, "dictionary.attribute_table");
  }
  texts.RepairNodes(&batch->dictionary.nodes);
  for (Resource& resource : batch->resources)
    texts.Repair(&resource.schema_url, "resource_profiles.schema_url");
  for (Scope& scope : batch->scopes)
    texts.RepairScope(&scope, "scope_profiles.schema_url");
  texts.RepairEntityRefs(&batch->entity_refs, &batch->entity_keys);
  for (Profile& profile : batch->profiles)
    texts.Repair(&profile.original_payload_format, "original_payload_format");
}

}  // namespace flarestack::model
