// SPDX-License-Identifier: Apache-2.0
//
// Checks that required parts exist: resources, scopes, profiles, tables and their reserved entries.
#include <algorithm>

#include "base/text/text.h"
#include "check/checks.h"

namespace flarestack::check {
namespace {

using base::StrCat;

constexpr size_t kTraceIdBytes = 16;
constexpr size_t kSpanIdBytes = 8;

bool IsZero(const model::Mapping& entry) {
  return entry.memory_start == 0 && entry.memory_limit == 0 && entry.file_offset == 0 &&
         !entry.filename && entry.attributes.empty();
}
bool IsZero(const model::Location& entry) {
  return !entry.mapping && entry.address == 0 && entry.lines.empty() && entry.attributes.empty();
}
bool IsZero(const model::Function& entry) { return entry == model::Function(); }
bool IsZero(const model::Attribute& entry) {
  return !entry.key && !entry.unit && entry.value.kind == model::AnyValue::Kind::kEmpty;
}
bool IsZero(const model::Stack& entry) { return entry.locations.empty(); }
bool IsZero(std::string_view entry) { return entry.empty(); }

bool IsAllZero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c == 0; });
}
bool IsZero(const model::Link& entry) {
  const bool is_short = entry.trace_id.empty() && entry.span_id.empty();
  const bool is_long = entry.trace_id.size() == kTraceIdBytes && IsAllZero(entry.trace_id) &&
                       entry.span_id.size() == kSpanIdBytes && IsAllZero(entry.span_id);
  return is_short || is_long;
}

template <typename Table>
void CheckTable(const Context& in, const Table& table, std::string_view name, const Path& at) {
  if (table.empty()) {
    in.findings.Add(Rule::kTableEmpty, at.Field(name), [&] {
      return StrCat(name, " is empty; it needs an empty entry 0 even if nothing refers to it");
    });
  } else if (!IsZero(table.front())) {
    in.findings.Add(Rule::kZeroEntry, at.Item(name, 0), [&] {
      return StrCat("entry 0 of ", name,
                    " has content; it must be empty, because index 0 means \"not set\"");
    });
  }
}

void CheckDictionary(const Context& in) {
  const model::Dictionary& tables = in.tables;
  const Path at = in.root.Field("dictionary");
  if (tables.mappings.empty() && tables.locations.empty() && tables.functions.empty() &&
      tables.links.empty() && tables.strings.empty() && tables.attributes.empty() &&
      tables.stacks.empty()) {
    in.findings.Add(Rule::kDictionaryMissing, at, [] {
      return "the message has no dictionary, or an empty one; each of its seven tables needs an "
             "empty entry 0";
    });
    return;
  }
  CheckTable(in, tables.mappings, "mapping_table", at);
  CheckTable(in, tables.locations, "location_table", at);
  CheckTable(in, tables.functions, "function_table", at);
  CheckTable(in, tables.links, "link_table", at);
  CheckTable(in, tables.strings, "string_table", at);
  CheckTable(in, tables.attributes, "attribute_table", at);
  CheckTable(in, tables.stacks, "stack_table", at);
}

// http[s]://server[:port]/path/<version>
bool IsSchemaUrl(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!url.starts_with(scheme))
      continue;
    url.remove_prefix(scheme.size());
    const size_t slash = url.rfind('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == url.size())
      return false;
    const char first = url[slash + 1];
    return first >= '0' && first <= '9';
  }
  return false;
}

void CheckSchemaUrl(const Context& in, std::string_view url, const Path& at) {
  if (url.empty() || IsSchemaUrl(url))
    return;
  in.findings.Add(Rule::kSchemaUrl, at.Field("schema_url"), [&] {
    return StrCat(Quote(url),
                  " is not an http or https URL that ends in a version, such as "
                  "https://opentelemetry.io/schemas/1.37.0");
  });
}

void CheckDefaultProfile(const Context& in) {
  const model::Batch& batch = in.batch;
  if (batch.resources.empty() || batch.resources[0].scopes.empty())
    return;
  const model::Scope& scope = batch.scopes[batch.resources[0].scopes.begin];
  if (scope.profiles.empty() || !batch.profiles[scope.profiles.begin].samples.empty())
    return;
  const Path resource = in.root.Item("resource_profiles", 0);
  const Path first = resource.Item("scope_profiles", 0);
  in.findings.Add(Rule::kDefaultProfileEmpty, first.Item("profiles", 0), [] {
    return "viewers show this profile by default, but it has no samples; put one with samples "
           "first";
  });
}

}  // namespace

void CheckStructure(const Context& in) {
  const model::Batch& batch = in.batch;
  if (batch.resources.empty()) {
    in.findings.Add(Rule::kResourceProfilesMissing, in.root.Field("resource_profiles"),
                    [] { return "the message has no resource_profiles; it needs at least one"; });
  }
  for (size_t r = 0; r < batch.resources.size(); ++r) {
    const model::Resource& resource = batch.resources[r];
    const Path at = in.root.Item("resource_profiles", r);
    CheckSchemaUrl(in, resource.schema_url, at);
    for (uint32_t i = 0; i < resource.entity_refs.count; ++i) {
      const Path owner = at.Field("resource");
      CheckSchemaUrl(in, batch.entity_refs[resource.entity_refs.begin + i].schema_url,
                     owner.Item("entity_refs", i));
    }
    if (resource.scopes.empty()) {
      in.findings.Add(Rule::kScopeProfilesMissing, at.Field("scope_profiles"),
                      [] { return "a resource without scope_profiles; it needs at least one"; });
    }
  }
  ForEachScope(in, [&](const model::Scope& scope, const Path& at) {
    CheckSchemaUrl(in, scope.schema_url, at);
    if (scope.profiles.empty()) {
      in.findings.Add(Rule::kProfilesMissing, at.Field("profiles"),
                      [] { return "a scope without profiles; it needs at least one"; });
    }
  });
  CheckDefaultProfile(in);
  CheckDictionary(in);
}

}  // namespace flarestack::check
