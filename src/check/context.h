// SPDX-License-Identifier: Apache-2.0
//
// The argument of every check function. Private to check.
//
// The indices of the batch are as the sender wrote them: follow an index through the accessors
// here, which check it against the size of its table. Slices come from our own decoders and are
// valid.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "check/path.h"
#include "check/report.h"
#include "model/batch.h"

namespace flarestack::check {

// Maps each index to the lowest index with the same content. If all entries of a table differ, each
// index maps to itself. Indices outside their table map to themselves.
struct Numbering {
  std::vector<uint32_t> strings;
  std::vector<uint32_t> attributes;
  std::vector<uint32_t> mappings;
  std::vector<uint32_t> functions;
  std::vector<uint32_t> links;
  std::vector<uint32_t> locations;
  std::vector<uint32_t> stacks;
};

struct Context {
  const model::Batch& batch;
  const model::Dictionary& tables;
  Collector& findings;
  Path root;
  absl::Status index_fault = {};  // the result of model::ValidateIndices
  bool is_from_pprof = false;
  bool is_converted = false;  // the message was never written as OTLP
  uint64_t now_unix_nano = 0;
  Numbering numbering = {};  // set by CheckDuplicates

  bool indices_are_valid() const { return index_fault.ok(); }

  // Returns an empty text if the index is out of range.
  std::string_view Text(model::StringIndex index) const {
    return index.value < tables.strings.size() ? tables.strings[index.value] : std::string_view();
  }
  bool HasText(model::StringIndex index) const { return !Text(index).empty(); }
  std::string_view Key(const model::KeyValue& entry) const {
    return entry.key_index ? Text(entry.key_index) : entry.key;
  }
  std::string_view String(const model::AnyValue& value) const {
    return value.kind == model::AnyValue::Kind::kStringIndex ? Text(value.string_index)
                                                             : value.text;
  }

  // Returns nullptr if the index is out of range.
  const model::Attribute* Find(model::AttributeIndex index) const {
    return index.value < tables.attributes.size() ? &tables.attributes[index.value] : nullptr;
  }
  const model::Mapping* Find(model::MappingIndex index) const {
    return index.value < tables.mappings.size() ? &tables.mappings[index.value] : nullptr;
  }
  const model::Function* Find(model::FunctionIndex index) const {
    return index.value < tables.functions.size() ? &tables.functions[index.value] : nullptr;
  }
};

// Calls `visit(scope, path of its ScopeProfiles)` for each scope of the message.
template <typename Visit>
void ForEachScope(const Context& in, Visit visit) {
  for (size_t r = 0; r < in.batch.resources.size(); ++r) {
    const model::Resource& resource = in.batch.resources[r];
    const Path at = in.root.Item("resource_profiles", r);
    for (uint32_t s = 0; s < resource.scopes.count; ++s)
      visit(in.batch.scopes[resource.scopes.begin + s], at.Item("scope_profiles", s));
  }
}

// Calls `visit(profile, its path)` for each profile of the message.
template <typename Visit>
void ForEachProfile(const Context& in, Visit visit) {
  ForEachScope(in, [&](const model::Scope& scope, const Path& at) {
    for (uint32_t p = 0; p < scope.profiles.count; ++p)
      visit(in.batch.profiles[scope.profiles.begin + p], at.Item("profiles", p));
  });
}

// Calls `visit(nodes, path)` for each inline list of key-value pairs: resources and scopes.
template <typename Visit>
void ForEachAttributeOwner(const Context& in, Visit visit) {
  for (size_t r = 0; r < in.batch.resources.size(); ++r) {
    const Path at = in.root.Item("resource_profiles", r);
    visit(in.batch.resources[r].attributes, at.Field("resource"));
  }
  ForEachScope(in, [&](const model::Scope& scope, const Path& at) {
    visit(scope.attributes, at.Field("scope"));
  });
}

}  // namespace flarestack::check
