// SPDX-License-Identifier: Apache-2.0
#include "check/wire_schema.h"

namespace flarestack::check {
namespace {

constexpr WireField Number(std::string_view name) { return {name, WireForm::kVarint, false}; }
constexpr WireField Numbers(std::string_view name) { return {name, WireForm::kVarint, true}; }
constexpr WireField Fixed(std::string_view name) { return {name, WireForm::kFixed64, false}; }
constexpr WireField Text(std::string_view name) { return {name, WireForm::kText, false}; }
constexpr WireField Texts(std::string_view name) { return {name, WireForm::kText, true}; }
constexpr WireField Bytes(std::string_view name) { return {name, WireForm::kBytes, false}; }
constexpr WireField One(std::string_view name, WireMessage message) {
  return {name, WireForm::kMessage, false, message};
}
constexpr WireField Many(std::string_view name, WireMessage message) {
  return {name, WireForm::kMessage, true, message};
}

using enum WireMessage;

constexpr WireField kProfilesDataFields[] = {Many("resource_profiles", kResourceProfiles),
                                             One("dictionary", kDictionary)};
constexpr WireField kDictionaryFields[] = {
    Many("mapping_table", kMapping),
    Many("location_table", kLocation),
    Many("function_table", kFunction),
    Many("link_table", kLink),
    Texts("string_table"),
    Many("attribute_table", kKeyValueAndUnit),
    Many("stack_table", kStack),
};
constexpr WireField kResourceProfilesFields[] = {
    One("resource", kResource), Many("scope_profiles", kScopeProfiles), Text("schema_url")};
constexpr WireField kScopeProfilesFields[] = {One("scope", kScope), Many("profiles", kProfile),
                                              Text("schema_url")};
constexpr WireField kProfileFields[] = {
    One("sample_type", kValueType),
    Many("samples", kSample),
    Fixed("time_unix_nano"),
    Number("duration_nano"),
    One("period_type", kValueType),
    Number("period"),
    Bytes("profile_id"),
    Number("dropped_attributes_count"),
    Text("original_payload_format"),
    Bytes("original_payload"),
    Numbers("attribute_indices"),
};
static_assert(std::size(kProfileFields) == kWireFieldsMax, "the message with the most fields");
constexpr WireField kValueTypeFields[] = {Number("type_strindex"), Number("unit_strindex")};
constexpr WireField kSampleFields[] = {Number("stack_index"),
                                       Numbers("attribute_indices"),
                                       Number("link_index"),
                                       Numbers("values"),
                                       {"timestamps_unix_nano", WireForm::kFixed64, true}};
constexpr WireField kMappingFields[] = {Number("memory_start"), Number("memory_limit"),
                                        Number("file_offset"), Number("filename_strindex"),
                                        Numbers("attribute_indices")};
constexpr WireField kStackFields[] = {Numbers("location_indices")};
constexpr WireField kLocationFields[] = {Number("mapping_index"), Number("address"),
                                         Many("lines", kLine), Numbers("attribute_indices")};
constexpr WireField kLineFields[] = {Number("function_index"), Number("line"), Number("column")};
constexpr WireField kFunctionFields[] = {Number("name_strindex"), Number("system_name_strindex"),
                                         Number("filename_strindex"), Number("start_line")};
constexpr WireField kLinkFields[] = {Bytes("trace_id"), Bytes("span_id")};
constexpr WireField kKeyValueAndUnitFields[] = {Number("key_strindex"), One("value", kAnyValue),
                                                Number("unit_strindex")};
constexpr WireField kResourceFields[] = {Many("attributes", kKeyValue),
                                         Number("dropped_attributes_count"),
                                         Many("entity_refs", kEntityRef)};
constexpr WireField kScopeFields[] = {Text("name"), Text("version"), Many("attributes", kKeyValue),
                                      Number("dropped_attributes_count")};
constexpr WireField kEntityRefFields[] = {Text("schema_url"), Text("type"), Texts("id_keys"),
                                          Texts("description_keys")};
constexpr WireField kKeyValueFields[] = {Text("key"), One("value", kAnyValue),
                                         Number("key_strindex")};
constexpr WireField kAnyValueFields[] = {
    Text("string_value"),
    Number("bool_value"),
    Number("int_value"),
    Fixed("double_value"),
    One("array_value", kArrayValue),
    One("kvlist_value", kKeyValueList),
    Bytes("bytes_value"),
    Number("string_value_strindex"),
};
constexpr WireField kArrayValueFields[] = {Many("values", kAnyValue)};
constexpr WireField kKeyValueListFields[] = {Many("values", kKeyValue)};

constexpr WireSchema kSchemas[] = {
    {"nothing", {}},
    {"ProfilesData", kProfilesDataFields},
    {"ProfilesDictionary", kDictionaryFields},
    {"ResourceProfiles", kResourceProfilesFields},
    {"ScopeProfiles", kScopeProfilesFields},
    {"Profile", kProfileFields},
    {"ValueType", kValueTypeFields},
    {"Sample", kSampleFields},
    {"Mapping", kMappingFields},
    {"Stack", kStackFields},
    {"Location", kLocationFields},
    {"Line", kLineFields},
    {"Function", kFunctionFields},
    {"Link", kLinkFields},
    {"KeyValueAndUnit", kKeyValueAndUnitFields},
    {"Resource", kResourceFields},
    {"InstrumentationScope", kScopeFields},
    {"EntityRef", kEntityRefFields},
    {"KeyValue", kKeyValueFields},
    {"AnyValue", kAnyValueFields},
    {"ArrayValue", kArrayValueFields},
    {"KeyValueList", kKeyValueListFields},
};
static_assert(std::size(kSchemas) == static_cast<size_t>(kCount), "one row per message");

}  // namespace

const WireSchema& SchemaOf(WireMessage message) { return kSchemas[static_cast<size_t>(message)]; }

}  // namespace flarestack::check
