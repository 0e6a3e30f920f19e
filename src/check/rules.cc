// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "check/rule.h"

namespace flarestack::check {
namespace {

constexpr RuleInfo kRules[] = {
    {Rule::kOldLayout, Severity::kWarning, "old-layout",
     "The message has the layout of opentelemetry-proto 1.10 or later.",
     "Field numbers changed in place up to version 1.10, and current receivers misread older "
     "messages. The message is converted to the current layout first and then checked; wire-level "
     "rules are skipped, because they would describe the conversion.",
     "opentelemetry-proto changelog, 1.8 to 1.10"},
    {Rule::kResourceProfilesMissing, Severity::kError, "resource-profiles-missing",
     "The message has at least one entry in resource_profiles.",
     "A message without resources carries no profile. A sender without data should send no "
     "message.",
     "ProfilesData.resource_profiles"},
    {Rule::kScopeProfilesMissing, Severity::kError, "scope-profiles-missing",
     "Each ResourceProfiles has at least one entry in scope_profiles.",
     "A resource without scopes has no profiles; omit it.", "ResourceProfiles.scope_profiles"},
    {Rule::kProfilesMissing, Severity::kError, "profiles-missing",
     "Each ScopeProfiles has at least one entry in profiles.",
     "Omit a scope without profiles. A profile without samples is allowed.",
     "ScopeProfiles.profiles"},
    {Rule::kDictionaryMissing, Severity::kError, "dictionary-missing",
     "The message has a dictionary.",
     "Every index in the message points into the tables of its dictionary, and even a message "
     "without samples needs the reserved entry 0 of each table.",
     "ProfilesData.dictionary; ProfilesDictionary"},
    {Rule::kTableEmpty, Severity::kError, "table-empty",
     "Each of the seven tables of the dictionary has at least its entry 0.",
     "Index 0 means \"not set\" and must still point at an entry. Write one empty entry into each "
     "table, including unused ones.",
     "ProfilesDictionary, comment on the zero value of each table"},
    {Rule::kZeroEntry, Severity::kError, "zero-entry", "Entry 0 of each table is the empty entry.",
     "Index 0 means \"not set\". If entry 0 has content, every unset reference gets that content. "
     "link_table[0] may be empty or hold 16 and 8 zero bytes.",
     "ProfilesDictionary, comment on the zero value of each table"},
    {Rule::kDefaultProfileEmpty, Severity::kWarning, "default-profile-empty",
     "The first profile of the first scope has samples.",
     "By default, viewers show the first profile of the first scope of the first resource. Put the "
     "most useful profile there.",
     "ProfilesData, comment on the profile shown by default"},
    {Rule::kSchemaUrl, Severity::kWarning, "schema-url",
     "A schema_url is an http or https URL whose last path element is a version.",
     "Readers parse the version of the conventions from the last element of the path, as in "
     "https://opentelemetry.io/schemas/1.37.0.",
     "ResourceProfiles.schema_url, ScopeProfiles.schema_url; Telemetry Schemas specification"},
    {Rule::kStringIndexRange, Severity::kError, "string-index-range",
     "Each strindex points into the string_table.",
     "An index outside the table is invalid. Keys and string values of resources, scopes and "
     "nested values are checked too.",
     "ProfilesDictionary.string_table; KeyValue.key_strindex; AnyValue.string_value_strindex"},
    {Rule::kMappingIndexRange, Severity::kError, "mapping-index-range",
     "Each mapping_index points into the mapping_table.",
     "An index outside the table is invalid, and readers reject the message. Negative indices are "
     "invalid too.",
     "Location.mapping_index"},
    {Rule::kLocationIndexRange, Severity::kError, "location-index-range",
     "Each location index points into the location_table.",
     "An index outside the table is invalid, and readers reject the message. Negative indices are "
     "invalid too.",
     "Stack.location_indices"},
    {Rule::kFunctionIndexRange, Severity::kError, "function-index-range",
     "Each function_index points into the function_table.",
     "An index outside the table is invalid, and readers reject the message. Negative indices are "
     "invalid too.",
     "Line.function_index"},
    {Rule::kLinkIndexRange, Severity::kError, "link-index-range",
     "Each link_index points into the link_table.",
     "An index outside the table is invalid, and readers reject the message. Negative indices are "
     "invalid too.",
     "Sample.link_index"},
    {Rule::kAttributeIndexRange, Severity::kError, "attribute-index-range",
     "Each attribute index points into the attribute_table.",
     "An index outside the table is invalid. Negative indices are invalid too.",
     "attribute_indices of Profile, Sample, Mapping and Location"},
    {Rule::kStackIndexRange, Severity::kError, "stack-index-range",
     "Each stack_index points into the stack_table.",
     "An index outside the table is invalid, and readers reject the message. Negative indices are "
     "invalid too.",
     "Sample.stack_index"},
    {Rule::kNullLocation, Severity::kInfo, "null-location", "A stack lists no location 0.",
     "Location 0 means \"not set\", so the stack has an empty frame. Omit the frame, or give it "
     "its own location.",
     "ProfilesDictionary, meaning of index 0"},
    {Rule::kNullAttribute, Severity::kInfo, "null-attribute",
     "A list of attributes does not contain attribute 0.",
     "Attribute 0 has neither key nor value. Omit it.", "ProfilesDictionary, meaning of index 0"},
    {Rule::kNullStack, Severity::kInfo, "null-stack", "Each sample has a stack.",
     "Stack 0 means that the stack is unknown. That is allowed, but viewers can attribute the "
     "value only to the root.",
     "Sample.stack_index"},
    {Rule::kNullFunction, Severity::kInfo, "null-function", "Each line has a function.",
     "A viewer cannot show anything for a line with function 0. Omit the line.",
     "Line.function_index"},
    {Rule::kSampleTypeMissing, Severity::kInfo, "sample-type-missing",
     "Each profile has a sample type.", "Without a type the values have no meaning.",
     "Profile.sample_type"},
    {Rule::kPeriodType, Severity::kInfo, "period-type",
     "period and period_type are both set or both unset.",
     "A period without a type has no unit, and a type without a period has no value.",
     "Profile.period_type, Profile.period"},
    {Rule::kPeriodNegative, Severity::kInfo, "period-negative", "The period is not negative.",
     "The period is the interval between samples.", "Profile.period"},
    {Rule::kProfileId, Severity::kError, "profile-id",
     "A profile_id is absent or 16 bytes that are not all zero.",
     "The all-zero id is invalid, and receivers reject a message with an id of another length. "
     "Omit the id if there is none.",
     "Profile.profile_id"},
    {Rule::kOriginalPayloadPair, Severity::kError, "original-payload-pair",
     "original_payload and original_payload_format are both set or both unset.",
     "Bytes without a format cannot be read, and a format without bytes is meaningless.",
     "Profile.original_payload_format, Profile.original_payload"},
    {Rule::kOriginalPayloadFormat, Severity::kWarning, "original-payload-format",
     "original_payload_format is pprof, jfr or linux_perf.",
     "The specification defines only these values. Readers ignore other payloads.",
     "OpenTelemetry specification, profiles, original payload formats"},
    {Rule::kTimePlausible, Severity::kInfo, "time-plausible",
     "A time lies between 1990 and tomorrow.",
     "A time outside this range usually has the wrong unit: times are in nanoseconds since 1970. 0 "
     "means that the time is unknown.",
     "Profile.time_unix_nano"},
    {Rule::kDurationPlausible, Severity::kInfo, "duration-plausible",
     "A duration is at most a day.",
     "A longer one usually has the wrong unit, or is a time: durations are in nanoseconds.",
     "Profile.duration_nano"},
    {Rule::kSampleEmpty, Severity::kError, "sample-empty",
     "Each sample has a value or a timestamp.", "A sample with neither has no value.",
     "Sample.values, Sample.timestamps_unix_nano"},
    {Rule::kSampleCountsDiffer, Severity::kError, "sample-counts-differ",
     "A sample with values and timestamps has the same number of each.",
     "The value at an index was measured at the timestamp with the same index.",
     "Sample.values, Sample.timestamps_unix_nano"},
    {Rule::kSampleManyValues, Severity::kError, "sample-many-values",
     "A sample without timestamps has one value.",
     "Without timestamps, several values cannot be distinguished. Add them up, or add a timestamp "
     "for each.",
     "Sample.values"},
    {Rule::kSampleShape, Severity::kWarning, "sample-shape",
     "All samples of a profile have the same shape.",
     "Values only, timestamps only, or both: a consumer decides once per profile how to read it. "
     "Split a mixed profile in two.",
     "Sample, comment on the shapes of a sample"},
    {Rule::kSampleDuplicate, Severity::kWarning, "sample-duplicate",
     "Samples of one profile differ in stack, attributes or link.",
     "Samples with the same stack, set of attributes and link are one sample: merge them by "
     "appending their values and timestamps.",
     "Sample, comment on the identity of a sample"},
    {Rule::kTimestampRange, Severity::kWarning, "timestamp-range",
     "Timestamps lie in the time range of their profile, the end excluded.",
     "The range starts at time_unix_nano and is duration_nano long. With a duration of 0, every "
     "timestamp is outside: set the time to the start of the process and the duration to the time "
     "until the collection.",
     "Sample.timestamps_unix_nano; Profile.duration_nano"},
    {Rule::kMappingRange, Severity::kError, "mapping-range",
     "The memory range of a mapping is empty, with both ends 0, or its start is below its limit.",
     "A range that ends at or before its start contains no address.",
     "Mapping.memory_start, Mapping.memory_limit"},
    {Rule::kMappingBuildId, Severity::kError, "mapping-build-id",
     "Each mapping has a build id attribute.",
     "Symbols are looked up by process.executable.build_id.gnu, .go or .htlhash; at least one must "
     "be a non-empty string. A warning if the profile comes from pprof, where a build id is "
     "optional.",
     "OpenTelemetry specification, profiles, mappings"},
    {Rule::kMappingHtlhash, Severity::kWarning, "mapping-htlhash",
     "Each mapping has the attribute process.executable.build_id.htlhash.",
     "It can be computed for every file, so it is the only id that all tools have in common. Info "
     "if the profile comes from pprof, which has no field for it.",
     "OpenTelemetry specification, profiles, mappings"},
    {Rule::kBuildIdValue, Severity::kError, "build-id-value",
     "A build id is a non-empty string; an htlhash has 32 hexadecimal digits.",
     "No symbol store has an id of another form. Upper and lower case are accepted, because the "
     "registry shows one and senders write the other.",
     "OpenTelemetry specification, profiles, mappings; process attribute registry"},
    {Rule::kAddressOutsideMapping, Severity::kWarning, "address-outside-mapping",
     "The address of a location lies in the range of its mapping.",
     "An address outside cannot be symbolized with the file of the mapping. Skipped if the mapping "
     "has no range or the location has no address.",
     "Location.address"},
    {Rule::kLineNegative, Severity::kError, "line-negative",
     "Line numbers and columns are not negative.",
     "Lines and columns count from 1, and 0 means \"not set\".",
     "Line.line, Line.column, Function.start_line"},
    {Rule::kColumnWithoutLine, Severity::kInfo, "column-without-line",
     "A line with a column has a line number.", "A column is meaningless without a line number.",
     "Line.column"},
    {Rule::kLineBeforeFunction, Severity::kInfo, "line-before-function",
     "A line number is not before the start of its function.",
     "One of the two numbers is wrong, or they belong to different files.",
     "Line.line, Function.start_line"},
    {Rule::kFunctionNameMissing, Severity::kError, "function-name-missing",
     "Each function has a name, a system name or a file name.",
     "A viewer cannot show a function without any of them. An index of the empty string counts as "
     "not set.",
     "Function, comment on its three texts"},
    {Rule::kLinkIdLength, Severity::kError, "link-id-length",
     "A trace id has 16 bytes and a span id has 8.",
     "Receivers reject a message with ids of another length. Only link_table[0] may have empty"
     " ids.",
     "Link.trace_id, Link.span_id"},
    {Rule::kLinkIdZero, Severity::kInfo, "link-id-zero", "The ids of a link are not all zero.",
     "An all-zero trace or span id is invalid, so the link has no target. Use link_index 0 for "
     "\"no link\".",
     "Link.trace_id, Link.span_id"},
    {Rule::kAttributeKeyDuplicate, Severity::kError, "attribute-key-duplicate",
     "The keys of a list of attributes are unique.",
     "Keys are compared as text, so two entries of the attribute_table with the same key cannot be "
     "in one list.",
     "attribute_indices of Profile, Sample, Mapping and Location"},
    {Rule::kKeyValueDuplicate, Severity::kError, "key-value-duplicate",
     "The keys of a resource, a scope or a key-value list are unique.",
     "Keys are compared after references into the string_table are resolved.",
     "Resource.attributes, InstrumentationScope.attributes, KeyValueList.values"},
    {Rule::kKeyGivenTwice, Severity::kError, "key-given-twice",
     "A KeyValue has key or key_strindex, not both.",
     "The two are mutually exclusive: a receiver cannot know which one applies.",
     "KeyValue.key, KeyValue.key_strindex"},
    {Rule::kAttributeKeyEmpty, Severity::kInfo, "attribute-key-empty", "Attributes have a key.",
     "Nothing can refer to an attribute without a key.",
     "KeyValueAndUnit.key_strindex; KeyValue.key"},
    {Rule::kAttributeValueMissing, Severity::kInfo, "attribute-value-missing",
     "Attributes have a value.",
     "An attribute without a value is meaningless. An empty string is a value.",
     "KeyValueAndUnit.value; KeyValue.value"},
    {Rule::kAttributeUnit, Severity::kWarning, "attribute-unit",
     "The unit of an attribute is a UCUM code.",
     "Attributes have units such as By, ns, s or 1. Words such as \"bytes\" or \"seconds\" belong "
     "to sample types, whose units are free text.",
     "KeyValueAndUnit.unit_strindex"},
    {Rule::kEntityType, Severity::kError, "entity-type", "An entity reference has a type.",
     "Entities are distinguished by their type first.", "EntityRef.type"},
    {Rule::kEntityIdKeys, Severity::kError, "entity-id-keys",
     "An entity reference has at least one id key.",
     "The values of the id keys are the identity of the entity.", "EntityRef.id_keys"},
    {Rule::kEntityKeyUnknown, Severity::kError, "entity-key-unknown",
     "The keys of an entity reference are attributes of its resource.",
     "An entity reference lists attributes by key; a missing attribute has no value.",
     "EntityRef.id_keys, EntityRef.description_keys"},
    {Rule::kAttributeName, Severity::kWarning, "attribute-name",
     "Attributes have the names of the current semantic conventions.",
     "Some names were replaced, and tools read the new ones. Names that the conventions do not "
     "define are allowed.",
     "OpenTelemetry semantic conventions, attribute registry"},
    {Rule::kAttributeType, Severity::kWarning, "attribute-type",
     "Attributes that the semantic conventions define have the type given there.",
     "A tool that expects a number ignores a string.",
     "OpenTelemetry semantic conventions, attribute registry; profiles"},
    {Rule::kAttributePlace, Severity::kWarning, "attribute-place",
     "pprof.* attributes and profile.frame.type are where the conventions define them.",
     "pprof.scope.* belongs to the scope, pprof.profile.* to a profile, pprof.mapping.* to a "
     "mapping, pprof.location.* and profile.frame.type to a location. Readers ignore them "
     "elsewhere.",
     "OpenTelemetry semantic conventions, profiles"},
    {Rule::kSampleTypeOrder, Severity::kWarning, "sample-type-order",
     "pprof.scope.sample_type_order has each position once, one per profile of the scope.",
     "Entry i is the column that profile i had in the pprof file; a list that is not a permutation "
     "cannot be reversed.",
     "OpenTelemetry semantic conventions, pprof attributes"},
    {Rule::kDocUrl, Severity::kWarning, "doc-url", "pprof.profile.doc_url is an absolute URL.",
     "Viewers turn it into a link.", "OpenTelemetry semantic conventions, pprof attributes"},
    {Rule::kFrameType, Severity::kWarning, "frame-type",
     "profile.frame.type has one of the known values, if one applies.",
     "The known values are beam, cpython, dotnet, go, jvm, kernel, luajit, native, perl, php, "
     "ruby, rust and v8js. Other values are allowed if none of these applies, and are reported as "
     "info.",
     "OpenTelemetry semantic conventions, profile.frame.type"},
    {Rule::kSampleTypeUnit, Severity::kInfo, "sample-type-unit",
     "A known sample type has a suitable unit.",
     "Tools read cpu, wall and similar types as times, alloc_space and similar types as bytes, "
     "samples and similar types as counts. There is no registry of sample types yet.",
     "Profile.sample_type; OpenTelemetry specification, profiles, examples"},
    {Rule::kDuplicateEntry, Severity::kWarning, "duplicate-entry",
     "No table has the same entry twice.",
     "Entries are compared by content: strings by text, attributes by key, value and unit, and "
     "references by the entries they point to. The order of locations and lines matters, the order "
     "of attributes does not.",
     "ProfilesDictionary, comment on duplicates"},
    {Rule::kOrphanEntry, Severity::kWarning, "orphan-entry", "Each entry of a table is used.",
     "An entry is used if a profile, sample, resource or scope refers to it, directly or through "
     "other used entries. Unused entries only make the message larger.",
     "ProfilesDictionary, comment on unreferenced entries"},
    {Rule::kUnknownField, Severity::kInfo, "unknown-field", "Every field of the message is known.",
     "Readers skip unknown fields (in JSON, members with an unknown name), so the content is lost "
     "without notice. It may be from a newer version.",
     "protobuf encoding; JSON Protobuf encoding; opentelemetry-proto 1.11"},
    {Rule::kWireType, Severity::kError, "wire-type",
     "Every field has the wire type that the schema requires.",
     "A reader cannot interpret the bytes of another type. Some readers reject the whole message, "
     "such as the OpenTelemetry Collector; others skip the field.",
     "protobuf encoding, message structure"},
    {Rule::kReservedField, Severity::kInfo, "reserved-field",
     "Reserved field numbers are not used.",
     "Field 1000 of ResourceProfiles was removed and must not be reused.",
     "ResourceProfiles, reserved numbers"},
    {Rule::kRepeatedSingular, Severity::kInfo, "repeated-singular",
     "A field that can be set once is written once.",
     "Protobuf merges a repeated message and keeps the last value of other fields. Two "
     "dictionaries become one with longer tables, and the indices do not match the second half.",
     "protobuf encoding, last one wins"},
    {Rule::kNonMinimalVarint, Severity::kInfo, "non-minimal-varint",
     "Varints have the shortest form.",
     "Readers accept longer forms, but then equal messages can differ in their bytes, and a strict "
     "reader may reject them.",
     "protobuf encoding, varints"},
    {Rule::kInvalidUtf8, Severity::kError, "invalid-utf8", "Text is valid UTF-8.",
     "Many protobuf libraries reject the whole message for one invalid byte in a string field.",
     "protobuf language guide, string fields"},
    {Rule::kJsonForm, Severity::kInfo, "json-form", "JSON has the form that OTLP/JSON requires.",
     "The reader accepted something that strict readers reject, or skipped something.",
     "OTLP specification, JSON Protobuf encoding"},
    {Rule::kResponseEmpty, Severity::kError, "response-empty", "A partial_success has content.",
     "If everything was accepted, partial_success must not be set. Without rejected profiles it is "
     "a warning to the sender and needs an error_message.",
     "ExportProfilesServiceResponse.partial_success"},
    {Rule::kResponseCount, Severity::kError, "response-count", "rejected_profiles is not negative.",
     "It is the number of profiles that were rejected.",
     "ExportProfilesPartialSuccess.rejected_profiles"},
    {Rule::kResponseReason, Severity::kWarning, "response-reason",
     "A response that rejects profiles has a reason.",
     "The sender shows the error_message to users.", "ExportProfilesPartialSuccess.error_message"},
};

constexpr bool InOrder() {
  for (size_t i = 0; i < std::size(kRules); ++i) {
    if (kRules[i].rule != static_cast<Rule>(i))
      return false;
  }
  return std::size(kRules) == kRuleCount;
}
static_assert(InOrder(), "each rule has one row, in the order of the enumeration");

}  // namespace

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kInfo:
      break;
  }
  return "info";
}

std::span<const RuleInfo> Rules() { return kRules; }

const RuleInfo& Info(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

const RuleInfo* FindRule(std::string_view id) {
  const auto found = std::ranges::find(kRules, id, &RuleInfo::id);
  return found == std::end(kRules) ? nullptr : &*found;
}

}  // namespace flarestack::check
