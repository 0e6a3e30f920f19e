// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/layouts/layout_schema.h"

namespace flarestack::codec::otlp {
namespace {

using enum FieldKind;
using Field = SchemaField;
using Role = FieldRole;

constexpr Field kMessage[] = {{1, "resource_profiles", kPart, Part::kResourceProfiles},
                              {2, "dictionary", kOnePart, Part::kDictionary}};
constexpr Field kMessage16[] = {{1, "resource_profiles", kPart, Part::kResourceProfiles},
                                {2, "mapping_table", kPart, Part::kMapping},
                                {3, "location_table", kPart, Part::kLocation},
                                {4, "function_table", kPart, Part::kFunction},
                                {5, "link_table", kPart, Part::kLink},
                                {6, "string_table", kBytes},
                                {7, "attribute_table", kPart, Part::kAttribute},
                                {8, "attribute_units", kPart, Part::kUnit}};
constexpr Field kMessage15[] = {{1, "resource_profiles", kPart, Part::kResourceProfiles}};

constexpr Field kResourceProfiles[] = {{1, "resource", kOnePart},
                                       {2, "scope_profiles", kPart, Part::kScopeProfiles},
                                       {3, "schema_url", kBytes}};
constexpr Field kScopeProfiles[] = {
    {1, "scope", kOnePart}, {2, "profiles", kPart, Part::kProfile}, {3, "schema_url", kBytes}};

constexpr Field kDictionary[] = {{1, "mapping_table", kPart, Part::kMapping},
                                 {2, "location_table", kPart, Part::kLocation},
                                 {3, "function_table", kPart, Part::kFunction},
                                 {4, "link_table", kPart, Part::kLink},
                                 {5, "string_table", kBytes},
                                 {6, "attribute_table", kPart, Part::kAttribute},
                                 {7, "stack_table", kPart, Part::kStack}};
constexpr Field kDictionary17[] = {{1, "mapping_table", kPart, Part::kMapping},
                                   {2, "location_table", kPart, Part::kLocation},
                                   {3, "function_table", kPart, Part::kFunction},
                                   {4, "link_table", kPart, Part::kLink},
                                   {5, "string_table", kBytes},
                                   {6, "attribute_table", kPart, Part::kAttribute},
                                   {7, "attribute_units", kPart, Part::kUnit}};

constexpr Field kProfile[] = {
    {1, "sample_type", kOnePart, Part::kValueType},
    {2, "samples", kPart, Part::kSample},
    {3, "time_unix_nano", kFixed64},
    {4, "duration_nano"},
    {5, "period_type", kOnePart, Part::kValueType},
    {6, "period"},
    {7, "profile_id", kBytes, Part::kOpaque, Role::kProfileId},
    {8, "dropped_attributes_count"},
    {9, "original_payload_format", kBytes},
    {10, "original_payload", kBytes},
    {11, "attribute_indices", kNumbers, Part::kOpaque, Role::kProfileAttributes},
};
constexpr Field kProfile18[] = {
    {1, "sample_type", kOnePart, Part::kValueType},
    {2, "sample", kPart, Part::kSample},
    {3, "time_unix_nano", kFixed64},
    {4, "duration_nano"},
    {5, "period_type", kOnePart, Part::kValueType},
    {6, "period"},
    {7, "comment_strindices", kNumbers, Part::kOpaque, Role::kComments},
    {8, "profile_id", kBytes, Part::kOpaque, Role::kProfileId},
    {9, "dropped_attributes_count"},
    {10, "original_payload_format", kBytes},
    {11, "original_payload", kBytes},
    {12, "attribute_indices", kNumbers, Part::kOpaque, Role::kProfileAttributes},
};
constexpr Field kProfile17[] = {
    {1, "sample_type", kPart, Part::kValueType},
    {2, "sample", kPart, Part::kSample},
    {3, "location_indices", kNumbers},
    {4, "time_nanos"},
    {5, "duration_nanos"},
    {6, "period_type", kOnePart, Part::kValueType},
    {7, "period"},
    {8, "comment_strindices", kNumbers},
    {9, "default_sample_type_index"},
    {10, "profile_id", kBytes, Part::kOpaque, Role::kProfileId},
    {11, "dropped_attributes_count"},
    {12, "original_payload_format", kBytes},
    {13, "original_payload", kBytes},
    {14, "attribute_indices", kNumbers},
};
constexpr Field kProfile15[] = {
    {1, "sample_type", kPart, Part::kValueType},
    {2, "sample", kPart, Part::kSample},
    {3, "mapping_table", kPart, Part::kMapping},
    {4, "location_table", kPart, Part::kLocation},
    {5, "location_indices", kNumbers},
    {6, "function_table", kPart, Part::kFunction},
    {7, "attribute_table", kPart, Part::kAttribute},
    {8, "attribute_units", kPart, Part::kUnit},
    {9, "link_table", kPart, Part::kLink},
    {10, "string_table", kBytes},
    {11, "time_nanos"},
    {12, "duration_nanos"},
    {13, "period_type", kOnePart, Part::kValueType},
    {14, "period"},
    {15, "comment_strindices", kNumbers},
    {16, "default_sample_type_strindex"},
    {17, "profile_id", kBytes, Part::kOpaque, Role::kProfileId},
    {18, "attributes", kPart},
    {19, "dropped_attributes_count"},
    {20, "original_payload_format", kBytes},
    {21, "original_payload", kBytes},
    {22, "attribute_indices", kNumbers},
};

constexpr Field kValueType[] = {{1, "type_strindex"}, {2, "unit_strindex"}};
constexpr Field kValueType18[] = {
    {1, "type_strindex"}, {2, "unit_strindex"}, {3, "aggregation_temporality"}};

constexpr Field kSample[] = {{1, "stack_index", kNumber, Part::kOpaque, Role::kStack},
                             {2, "attribute_indices", kNumbers, Part::kOpaque, Role::kAttributes},
                             {3, "link_index", kNumber, Part::kOpaque, Role::kLink},
                             {4, "values", kNumbers, Part::kOpaque, Role::kValues},
                             {5, "timestamps_unix_nano", kFixed64s, Part::kOpaque, Role::kTimes}};
constexpr Field kSample19[] = {{1, "stack_index", kNumber, Part::kOpaque, Role::kStack},
                               {2, "values", kNumbers, Part::kOpaque, Role::kValues},
                               {3, "attribute_indices", kNumbers, Part::kOpaque, Role::kAttributes},
                               {4, "link_index", kNumber, Part::kOpaque, Role::kLink},
                               {5, "timestamps_unix_nano", kFixed64s, Part::kOpaque, Role::kTimes}};
constexpr Field kSample17[] = {{1, "locations_start_index"},
                               {2, "locations_length"},
                               {3, "value", kNumbers},
                               {4, "attribute_indices", kNumbers},
                               {5, "link_index"},
                               {6, "timestamps_unix_nano", kNumbers}};

constexpr Field kMapping[] = {{1, "memory_start"},
                              {2, "memory_limit"},
                              {3, "file_offset"},
                              {4, "filename_strindex"},
                              {5, "attribute_indices", kNumbers}};
constexpr Field kMapping17[] = {{1, "memory_start"},
                                {2, "memory_limit"},
                                {3, "file_offset"},
                                {4, "filename_strindex"},
                                {5, "attribute_indices", kNumbers},
                                {6, "has_functions"},
                                {7, "has_filenames"},
                                {8, "has_line_numbers"},
                                {9, "has_inline_frames"}};

constexpr Field kLocation[] = {{1, "mapping_index"},
                               {2, "address"},
                               {3, "lines", kPart, Part::kLine},
                               {4, "attribute_indices", kNumbers}};
constexpr Field kLocation17[] = {{1, "mapping_index"},
                                 {2, "address"},
                                 {3, "line", kPart, Part::kLine},
                                 {4, "is_folded"},
                                 {5, "attribute_indices", kNumbers}};

constexpr Field kLine[] = {{1, "function_index"}, {2, "line"}, {3, "column"}};
constexpr Field kFunction[] = {
    {1, "name_strindex"}, {2, "system_name_strindex"}, {3, "filename_strindex"}, {4, "start_line"}};
constexpr Field kLink[] = {{1, "trace_id", kBytes}, {2, "span_id", kBytes}};
constexpr Field kAttribute[] = {{1, "key_strindex"}, {2, "value", kOnePart}, {3, "unit_strindex"}};
constexpr Field kAttribute17[] = {{1, "key", kBytes}, {2, "value", kOnePart}};
constexpr Field kUnit[] = {{1, "attribute_key_strindex"}, {2, "unit_strindex"}};
constexpr Field kStack[] = {{1, "location_indices", kNumbers}};

}  // namespace

std::string_view PartName(Part part) {
  switch (part) {
    case Part::kOpaque:
      return "a nested message";
    case Part::kMessage:
      return "ProfilesData";
    case Part::kResourceProfiles:
      return "ResourceProfiles";
    case Part::kScopeProfiles:
      return "ScopeProfiles";
    case Part::kProfile:
      return "Profile";
    case Part::kValueType:
      return "ValueType";
    case Part::kSample:
      return "Sample";
    case Part::kDictionary:
      return "ProfilesDictionary";
    case Part::kMapping:
      return "Mapping";
    case Part::kLocation:
      return "Location";
    case Part::kLine:
      return "Line";
    case Part::kFunction:
      return "Function";
    case Part::kLink:
      return "Link";
    case Part::kAttribute:
      return "KeyValueAndUnit";
    case Part::kUnit:
      return "AttributeUnit";
    case Part::kStack:
      return "Stack";
  }
  return "";
}

std::span<const SchemaField> FieldsOf(Layout layout, Part part) {
  const bool is_old = layout <= Layout::k17;
  switch (part) {
    case Part::kOpaque:
      return {};
    case Part::kMessage:
      if (layout == Layout::kUpTo15)
        return kMessage15;
      return layout == Layout::k16 ? std::span<const Field>(kMessage16) : kMessage;
    case Part::kResourceProfiles:
      return kResourceProfiles;
    case Part::kScopeProfiles:
      return kScopeProfiles;
    case Part::kProfile:
      if (layout == Layout::kUpTo15)
        return kProfile15;
      if (is_old)
        return kProfile17;
      return layout == Layout::k18 ? std::span<const Field>(kProfile18) : kProfile;
    case Part::kValueType:
      return layout <= Layout::k18 ? std::span<const Field>(kValueType18) : kValueType;
    case Part::kSample:
      if (is_old)
        return kSample17;
      return layout <= Layout::k19 ? std::span<const Field>(kSample19) : kSample;
    case Part::kDictionary:
      return is_old ? std::span<const Field>(kDictionary17) : kDictionary;
    case Part::kMapping:
      return is_old ? std::span<const Field>(kMapping17) : kMapping;
    case Part::kLocation:
      return is_old ? std::span<const Field>(kLocation17) : kLocation;
    case Part::kLine:
      return kLine;
    case Part::kFunction:
      return kFunction;
    case Part::kLink:
      return kLink;
    case Part::kAttribute:
      return is_old ? std::span<const Field>(kAttribute17) : kAttribute;
    case Part::kUnit:
      return kUnit;
    case Part::kStack:
      return kStack;
  }
  return {};
}

}  // namespace flarestack::codec::otlp
