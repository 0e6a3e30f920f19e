// SPDX-License-Identifier: Apache-2.0
//
// Checks the content of mappings, locations, functions and links. structure.cc checks entry 0 of
// each.
#include <algorithm>

#include "base/text/text.h"
#include "check/checks.h"

namespace flarestack::check {
namespace {

using base::Hex;
using base::StrCat;

constexpr std::string_view kGnuKey = "process.executable.build_id.gnu";
constexpr std::string_view kGoKey = "process.executable.build_id.go";
constexpr std::string_view kHtlhashKey = "process.executable.build_id.htlhash";
constexpr size_t kHtlhashDigits = 32;
constexpr size_t kTraceIdBytes = 16;
constexpr size_t kSpanIdBytes = 8;

bool IsBuildIdKey(std::string_view key) {
  return key == kGnuKey || key == kGoKey || key == kHtlhashKey;
}

bool IsHex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

bool IsAllZero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c == 0; });
}

// Describes the fault in the value of a build id; empty if it is valid.
std::string BuildIdFault(const Context& in, std::string_view key, const model::AnyValue& value) {
  if (!in.tables.IsString(value))
    return "not a string";
  const std::string_view text = in.String(value);
  if (text.empty())
    return "empty";
  if (key == kHtlhashKey && (text.size() != kHtlhashDigits || !IsHex(text)))
    return Quote(text);
  return {};
}

void CheckBuildIds(const Context& in, const model::Mapping& mapping, const Path& at) {
  bool has_id = false;
  bool has_htlhash = false;
  for (uint32_t i = 0; i < mapping.attributes.count; ++i) {
    const model::Attribute* attribute =
        in.Find(in.tables.attribute_indices[mapping.attributes.begin + i]);
    if (attribute == nullptr)
      continue;
    const std::string_view key = in.Text(attribute->key);
    has_id = has_id || IsBuildIdKey(key);
    has_htlhash = has_htlhash || key == kHtlhashKey;
  }
  if (!has_id) {
    in.findings.Add(Rule::kMappingBuildId, in.is_from_pprof ? Severity::kWarning : Severity::kError,
                    at, [&] {
                      return StrCat("the mapping of ", Quote(in.Text(mapping.filename)),
                                    " has no build id; it needs one of the attributes ", kGnuKey,
                                    ", .go and .htlhash");
                    });
  } else if (!has_htlhash) {
    in.findings.Add(Rule::kMappingHtlhash, in.is_from_pprof ? Severity::kInfo : Severity::kWarning,
                    at, [&] {
                      return StrCat("the mapping of ", Quote(in.Text(mapping.filename)), " has no ",
                                    kHtlhashKey, ", which is recommended in addition to other ids");
                    });
  }
}

// Checks build ids in the attribute table, so that one shared by many mappings is reported once.
void CheckBuildIdValues(const Context& in, const Path& at) {
  for (size_t i = 1; i < in.tables.attributes.size(); ++i) {
    const model::Attribute& attribute = in.tables.attributes[i];
    const std::string_view key = in.Text(attribute.key);
    if (!IsBuildIdKey(key) || attribute.value.kind == model::AnyValue::Kind::kEmpty)
      continue;
    const std::string fault = BuildIdFault(in, key, attribute.value);
    if (fault.empty())
      continue;
    const Path entry = at.Item("attribute_table", i);
    in.findings.Add(Rule::kBuildIdValue, entry.Field("value"), [&] {
      return StrCat(key, " is ", fault, "; ",
                    key == kHtlhashKey ? "it must be 32 hexadecimal digits"
                                       : "it must be a non-empty string");
    });
  }
}

void CheckMapping(const Context& in, const model::Mapping& mapping, const Path& at) {
  if (mapping.memory_start >= mapping.memory_limit &&
      (mapping.memory_start != 0 || mapping.memory_limit != 0)) {
    in.findings.Add(Rule::kMappingRange, at, [&] {
      return StrCat("memory_start ", Hex(mapping.memory_start), " is not below memory_limit ",
                    Hex(mapping.memory_limit), "; set both to 0 if the range is unknown");
    });
  }
  CheckBuildIds(in, mapping, at);
}

void CheckNotNegative(const Context& in, int64_t number, std::string_view field, const Path& at) {
  if (number >= 0) [[likely]] {
    return;
  }
  in.findings.Add(Rule::kLineNegative, at.Field(field), [&] {
    return StrCat(number, "; lines and columns count from 1, and 0 means \"not set\"");
  });
}

void CheckLine(const Context& in, const model::Line& line, const Path& at) {
  CheckNotNegative(in, line.line, "line", at);
  CheckNotNegative(in, line.column, "column", at);
  if (line.column > 0 && line.line == 0) {
    in.findings.Add(Rule::kColumnWithoutLine, at.Field("column"),
                    [&] { return StrCat(line.column, ", but the location has no line"); });
  }
  const model::Function* function = in.Find(line.function);
  if (function != nullptr && line.line > 0 && line.line < function->start_line) {
    in.findings.Add(Rule::kLineBeforeFunction, at.Field("line"), [&] {
      return StrCat(line.line, " is before line ", function->start_line, ", where function ",
                    Quote(in.Text(function->name)), " starts");
    });
  }
}

void CheckLocation(const Context& in, const model::Location& location, const Path& at) {
  const model::Mapping* mapping = location.mapping ? in.Find(location.mapping) : nullptr;
  // An address equal to the limit is accepted: the schema defines a closed interval.
  if (mapping != nullptr && location.address != 0 &&
      mapping->memory_start < mapping->memory_limit &&
      (location.address < mapping->memory_start || location.address > mapping->memory_limit)) {
    in.findings.Add(Rule::kAddressOutsideMapping, at.Field("address"), [&] {
      return StrCat(Hex(location.address), " is outside mapping_table[", location.mapping.value,
                    "], which has ", Hex(mapping->memory_start), " to ",
                    Hex(mapping->memory_limit));
    });
  }
  for (uint32_t k = 0; k < location.lines.count; ++k)
    CheckLine(in, in.tables.lines[location.lines.begin + k], at.Item("lines", k));
}

void CheckFunction(const Context& in, const model::Function& function, const Path& at) {
  // Index out of range is reported by another rule.
  const auto is_unset = [&](model::StringIndex index) {
    return (!index || index.value < in.tables.strings.size()) && !in.HasText(index);
  };
  if (is_unset(function.name) && is_unset(function.system_name) && is_unset(function.filename)) {
    in.findings.Add(Rule::kFunctionNameMissing, at, [] {
      return "the function has neither name nor system name nor file name; it needs one of them";
    });
  }
  CheckNotNegative(in, function.start_line, "start_line", at);
}

void CheckLink(const Context& in, const model::Link& link, const Path& at) {
  const auto check = [&](std::string_view id, size_t bytes, std::string_view field) {
    if (id.size() != bytes) {
      in.findings.Add(Rule::kLinkIdLength, at.Field(field),
                      [&] { return StrCat(id.size(), " bytes; it must have ", bytes); });
    }
  };
  check(link.trace_id, kTraceIdBytes, "trace_id");
  check(link.span_id, kSpanIdBytes, "span_id");
  const bool has_lengths =
      link.trace_id.size() == kTraceIdBytes && link.span_id.size() == kSpanIdBytes;
  if (has_lengths && (IsAllZero(link.trace_id) || IsAllZero(link.span_id))) {
    in.findings.Add(Rule::kLinkIdZero, at, [&] {
      return StrCat(IsAllZero(link.trace_id) ? "trace_id" : "span_id",
                    " is all zero, which is not a valid id; use link_index 0 for \"no link\"");
    });
  }
}

}  // namespace

void CheckTables(const Context& in) {
  const Path at = in.root.Field("dictionary");
  for (size_t i = 1; i < in.tables.mappings.size(); ++i)
    CheckMapping(in, in.tables.mappings[i], at.Item("mapping_table", i));
  for (size_t i = 1; i < in.tables.locations.size(); ++i)
    CheckLocation(in, in.tables.locations[i], at.Item("location_table", i));
  for (size_t i = 1; i < in.tables.functions.size(); ++i)
    CheckFunction(in, in.tables.functions[i], at.Item("function_table", i));
  for (size_t i = 1; i < in.tables.links.size(); ++i)
    CheckLink(in, in.tables.links[i], at.Item("link_table", i));
  CheckBuildIdValues(in, at);
}

}  // namespace flarestack::check
