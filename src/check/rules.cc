// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "check/rule.h"

namespace flarestack::check {
namespace {

constexpr RuleInfo kRules[] = {
    {Rule::kOldLayout, Severity::kWarning, "old-layout",
     "The message has the layout of opentelemetry-proto 1.10 or later.",
     "Field numbers changed in place up to version 1.10, and a receiver of today misreads what"
     " was sent before. The message is converted to today's layout first and then checked; "
     "what belongs to the conversion alone, such as wire-level findings, is not looked for.",
     "opentelemetry-proto changelog, 1.8 to 1.10"},
    {Rule::kResourceProfilesMissing, Severity::kError, "resource-profiles-missing",
     "The message has at least one entry in resource_profiles.",
     "A message without resources carries no profile. A sender with nothing to say sends no "
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
     "Every index of the message points into the tables of its dictionary, and even a message "
     "without samples needs the reserved entry 0 of each table.",
     "ProfilesData.dictionary; ProfilesDictionary"},
    {Rule::kTableEmpty, Severity::kError, "table-empty",
     "Each of the seven tables of the dictionary has at least its entry 0.",
     "Index 0 means \"not set\" and must still point at an entry. Write one empty entry into "
     "each table, also into those that are not used.",
     "ProfilesDictionary, comment on the zero value of each table"},
    {Rule::kZeroEntry, Severity::kError, "zero-entry", "Entry 0 of each table is the empty entry.",
     "Index 0 means \"not set\". An entry 0 with content gives that content to everything that "
     "set nothing. link_table[0] may be empty or hold 16 and 8 zero bytes.",
     "ProfilesDictionary, comment on the zero value of each table"},
    {Rule::kDefaultProfileEmpty, Severity::kWarning, "default-profile-empty",
     "The first profile of the first scope has samples.",
     "Viewers show the first profile of the first scope of the first resource unless told "
     "otherwise. Put the profile that people want to see there.",
     "ProfilesData, comment on the profile shown by default"},
    {Rule::kSchemaUrl, Severity::kWarning, "schema-url",
     "A schema_url is an http or https URL whose last path element is a version.",
     "Readers take the version of the conventions from the last element of the path, as in "
     "https://opentelemetry.io/schemas/1.37.0.",
     "ResourceProfiles.schema_url, ScopeProfiles.schema_url; Telemetry Schemas specification"},
    {Rule::kStringIndexRange, Severity::kError, "string-index-range",
     "Each strindex points into the string_table.",
     "An index outside the table names no text. Keys and string values of resources, scopes "
     "and nested values are looked at too.",
     "ProfilesDictionary.string_table; KeyValue.key_strindex; AnyValue.string_value_strindex"},
    {Rule::kMappingIndexRange, Severity::kError, "mapping-index-range",
     "Each mapping_index points into the mapping_table.",
     "An index outside the table refers to nothing; readers reject the message. Negative indices "
     "are outside as well.",
     "Location.mapping_index"},
    {Rule::kLocationIndexRange, Severity::kError, "location-index-range",
     "Each location index points into the location_table.",
     "An index outside the table refers to nothing; readers reject the message. Negative indices "
     "are outside as well.",
     "Stack.location_indices"},
    {Rule::kFunctionIndexRange, Severity::kError, "function-index-range",
     "Each function_index points into the function_table.",
     "An index outside the table refers to nothing; readers reject the message. Negative indices "
     "are outside as well.",
     "Line.function_index"},
    {Rule::kLinkIndexRange, Severity::kError, "link-index-range",
     "Each link_index points into the link_table.",
     "An index outside the table refers to nothing; readers reject the message. Negative indices "
     "are outside as well.",
     "Sample.link_index"},
    {Rule::kAttributeIndexRange, Severity::kError, "attribute-index-range",
     "Each attribute index points into the attribute_table.",
     "An index outside the table names no attribute. Negative indices are outside as well.",
     "attribute_indices of Profile, Sample, Mapping and Location"},
    {Rule::kStackIndexRange, Severity::kError, "stack-index-range",
     "Each stack_index points into the stack_table.",
     "An index outside the table refers to nothing; readers reject the message. Negative indices "
     "are outside as well.",
     "Sample.stack_index"},
    {Rule::kNullLocation, Severity::kInfo, "null-location", "A stack lists no location 0.",
     "Location 0 means \"not set\", so the stack has a frame of which nothing is known. Leave "
     "the frame out, or give it a location of its own.",
     "ProfilesDictionary, meaning of index 0"},
    {Rule::kNullAttribute, Severity::kInfo, "null-attribute",
     "A list of attributes holds no attribute 0.",
     "Attribute 0 has neither key nor value. Leave it out of the list.",
     "ProfilesDictionary, meaning of index 0"},
    {Rule::kNullStack, Severity::kInfo, "null-stack", "Each sample has a stack.",
     "Stack 0 means that the stack is not known. That is allowed, but the value cannot be "
     "shown anywhere but at the root.",
     "Sample.stack_index"},
    {Rule::kNullFunction, Severity::kInfo, "null-function", "Each line has a function.",
     "A line with function 0 says nothing a viewer can show. Leave the line out.",
     "Line.function_index"},
    {Rule::kSampleTypeMissing, Severity::kInfo, "sample-type-missing",
     "Each profile has a sample type.", "Without a type the values have no meaning.",
     "Profile.sample_type"},
    {Rule::kPeriodType, Severity::kInfo, "period-type",
     "period and period_type are both set or both unset.",
     "A period without a type has no unit, and a type without a period has no distance.",
     "Profile.period_type, Profile.period"},
    {Rule::kPeriodNegative, Severity::kInfo, "period-negative", "The period is not negative.",
     "The period is a distance between samples.", "Profile.period"},
    {Rule::kProfileId, Severity::kError, "profile-id",
     "A profile_id is absent or 16 bytes that are not all zero.",
     "The all-zero id is invalid, and receivers reject a message with an id of another length."
     " Leave the id out when there is none.",
     "Profile.profile_id"},
    {Rule::kOriginalPayloadPair, Severity::kError, "original-payload-pair",
     "original_payload and original_payload_format are both set or both unset.",
     "Bytes without a format cannot be read, and a format without bytes says nothing.",
     "Profile.original_payload_format, Profile.original_payload"},
    {Rule::kOriginalPayloadFormat, Severity::kWarning, "original-payload-format",
     "original_payload_format is pprof, jfr or linux_perf.",
     "These are the values the specification knows. Readers will leave another payload alone.",
     "OpenTelemetry specification, profiles, original payload formats"},
    {Rule::kTimePlausible, Severity::kInfo, "time-plausible",
     "A time lies between 1990 and tomorrow.",
     "A time far away is usually one of another unit: times are in nanoseconds since 1970. 0 "
     "means that the time is not known.",
     "Profile.time_unix_nano"},
    {Rule::kDurationPlausible, Severity::kInfo, "duration-plausible",
     "A duration is at most a day.",
     "A longer one is usually one of another unit, or a time: durations are in nanoseconds.",
     "Profile.duration_nano"},
    {Rule::kSampleEmpty, Severity::kError, "sample-empty",
     "Each sample has a value or a timestamp.", "A sample with neither counts nothing.",
     "Sample.values, Sample.timestamps_unix_nano"},
    {Rule::kSampleCountsDiffer, Severity::kError, "sample-counts-differ",
     "A sample with values and timestamps has as many of each.",
     "The value at a position was measured at the timestamp of the same position.",
     "Sample.values, Sample.timestamps_unix_nano"},
    {Rule::kSampleManyValues, Severity::kError, "sample-many-values",
     "A sample without timestamps has one value.",
     "Without timestamps there is nothing that would tell several values apart. Add them up, "
     "or give each its timestamp.",
     "Sample.values"},
    {Rule::kSampleShape, Severity::kWarning, "sample-shape",
     "All samples of a profile have the same shape.",
     "Values alone, timestamps alone, or both: a consumer decides once per profile how to read"
     " it. Make two profiles out of a mixed one.",
     "Sample, comment on the shapes of a sample"},
    {Rule::kSampleDuplicate, Severity::kWarning, "sample-duplicate",
     "Samples of one profile differ in stack, attributes or link.",
     "Samples with the same stack, set of attributes and link are one sample: append their "
     "values and timestamps to the first.",
     "Sample, comment on the identity of a sample"},
    {Rule::kTimestampRange, Severity::kWarning, "timestamp-range",
     "Timestamps lie in the time range of their profile, whose end does not belong to it.",
     "The range begins at time_unix_nano and is duration_nano long. With a duration of 0 no "
     "timestamp fits: set the time to the start of the process and the duration to what has "
     "passed until the collection.",
     "Sample.timestamps_unix_nano; Profile.duration_nano"},
    {Rule::kMappingRange, Severity::kError, "mapping-range",
     "The memory range of a mapping is empty, with both ends 0, or its start is below its limit.",
     "A range that ends where it begins, or before, holds no address.",
     "Mapping.memory_start, Mapping.memory_limit"},
    {Rule::kMappingBuildId, Severity::kError, "mapping-build-id",
     "Each mapping has a build id attribute.",
     "Symbols are found by process.executable.build_id.gnu, .go or .htlhash; one of them must "
     "be there, as text that is not empty. A warning when the profile comes from pprof, which "
     "need not have one.",
     "OpenTelemetry specification, profiles, mappings"},
    {Rule::kMappingHtlhash, Severity::kWarning, "mapping-htlhash",
     "Each mapping has the attribute process.executable.build_id.htlhash.",
     "It can be computed for every file, so it is the one id that all tools can agree on. Info"
     " when the profile comes from pprof, which has no place for it.",
     "OpenTelemetry specification, profiles, mappings"},
    {Rule::kBuildIdValue, Severity::kError, "build-id-value",
     "A build id is text that is not empty; an htlhash has 32 hexadecimal digits.",
     "An id of another form is found in no store of symbols. Both cases of letters are taken, "
     "since the registry shows the one and senders write the other.",
     "OpenTelemetry specification, profiles, mappings; process attribute registry"},
    {Rule::kAddressOutsideMapping, Severity::kWarning, "address-outside-mapping",
     "The address of a location lies in the range of its mapping.",
     "An address outside cannot be symbolized with the file of the mapping. Not looked at when"
     " the mapping has no range or the location no address.",
     "Location.address"},
    {Rule::kLineNegative, Severity::kError, "line-negative",
     "Line numbers and columns are not negative.",
     "Lines and columns count from 1, and 0 means \"not set\".",
     "Line.line, Line.column, Function.start_line"},
    {Rule::kColumnWithoutLine, Severity::kInfo, "column-without-line",
     "A line with a column has a line number.", "A column alone points nowhere.", "Line.column"},
    {Rule::kLineBeforeFunction, Severity::kInfo, "line-before-function",
     "A line number is not before the start of its function.",
     "One of the two numbers is wrong, or they belong to different files.",
     "Line.line, Function.start_line"},
    {Rule::kFunctionNameMissing, Severity::kError, "function-name-missing",
     "Each function has a name, a system name or a file name.",
     "A function without any of them is nothing a viewer can show. An index to the empty "
     "string counts as not set.",
     "Function, comment on its three texts"},
    {Rule::kLinkIdLength, Severity::kError, "link-id-length",
     "A trace id has 16 bytes and a span id has 8.",
     "Receivers reject a message with ids of another length. Only link_table[0] may have empty"
     " ids.",
     "Link.trace_id, Link.span_id"},
    {Rule::kLinkIdZero, Severity::kInfo, "link-id-zero", "The ids of a link are not all zero.",
     "An all-zero trace or span id is invalid, so the link leads nowhere. Use link_index 0 for"
     " \"no link\".",
     "Link.trace_id, Link.span_id"},
    {Rule::kAttributeKeyDuplicate, Severity::kError, "attribute-key-duplicate",
     "The keys of one list of attributes differ.",
     "Keys are compared as text, so two entries of the attribute_table with the same key "
     "cannot stand in one list.",
     "attribute_indices of Profile, Sample, Mapping and Location"},
    {Rule::kKeyValueDuplicate, Severity::kError, "key-value-duplicate",
     "The keys of a resource, a scope or a key-value list differ.",
     "Keys are compared after references into the string_table have been followed.",
     "Resource.attributes, InstrumentationScope.attributes, KeyValueList.values"},
    {Rule::kKeyGivenTwice, Severity::kError, "key-given-twice",
     "A KeyValue has key or key_strindex, not both.",
     "The two exclude each other: a receiver cannot know which one holds.",
     "KeyValue.key, KeyValue.key_strindex"},
    {Rule::kAttributeKeyEmpty, Severity::kInfo, "attribute-key-empty", "Attributes have a key.",
     "Nothing can refer to an attribute without a key.",
     "KeyValueAndUnit.key_strindex; KeyValue.key"},
    {Rule::kAttributeValueMissing, Severity::kInfo, "attribute-value-missing",
     "Attributes have a value.",
     "An attribute without a value says nothing. An empty string is a value.",
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
     "An entity reference names attributes by their text; one that is not there has no value.",
     "EntityRef.id_keys, EntityRef.description_keys"},
    {Rule::kAttributeName, Severity::kWarning, "attribute-name",
     "Attributes have the names of the semantic conventions of today.",
     "Some names were replaced, and tools look for the new ones. Names that the conventions do"
     " not know are free.",
     "OpenTelemetry semantic conventions, attribute registry"},
    {Rule::kAttributeType, Severity::kWarning, "attribute-type",
     "Attributes that the semantic conventions name have the type given there.",
     "A tool that looks for a number does not find it in a text.",
     "OpenTelemetry semantic conventions, attribute registry; profiles"},
    {Rule::kAttributePlace, Severity::kWarning, "attribute-place",
     "pprof.* attributes and profile.frame.type stand where the conventions put them.",
     "pprof.scope.* belongs to the scope, pprof.profile.* to a profile, pprof.mapping.* to a "
     "mapping, pprof.location.* and profile.frame.type to a location. Elsewhere no reader looks "
     "for them.",
     "OpenTelemetry semantic conventions, profiles"},
    {Rule::kSampleTypeOrder, Severity::kWarning, "sample-type-order",
     "pprof.scope.sample_type_order has each position once, one per profile of the scope.",
     "Entry i is the column that profile i had in the pprof file; a list that is not such an "
     "order cannot be undone.",
     "OpenTelemetry semantic conventions, pprof attributes"},
    {Rule::kDocUrl, Severity::kWarning, "doc-url", "pprof.profile.doc_url is an absolute URL.",
     "Viewers make a link of it.", "OpenTelemetry semantic conventions, pprof attributes"},
    {Rule::kFrameType, Severity::kWarning, "frame-type",
     "profile.frame.type has one of the known values where one fits.",
     "Known are beam, cpython, dotnet, go, jvm, kernel, luajit, native, perl, php, ruby, rust "
     "and v8js. Other values are allowed for what none of them fits, and are mentioned as "
     "info.",
     "OpenTelemetry semantic conventions, profile.frame.type"},
    {Rule::kSampleTypeUnit, Severity::kInfo, "sample-type-unit",
     "A known sample type has a unit that fits it.",
     "Tools know cpu, wall and the like as times, alloc_space and the like as bytes, samples "
     "and the like as counts. There is no registry of sample types yet.",
     "Profile.sample_type; OpenTelemetry specification, profiles, examples"},
    {Rule::kDuplicateEntry, Severity::kWarning, "duplicate-entry",
     "No table has the same entry twice.",
     "Entries are compared by content: strings by text, attributes by key, value and unit, and"
     " whatever refers to others by what it refers to. The order of attributes does not count,"
     " that of locations and lines does.",
     "ProfilesDictionary, comment on duplicates"},
    {Rule::kOrphanEntry, Severity::kWarning, "orphan-entry", "Each entry of a table is used.",
     "Used is what profiles, samples, resources and scopes refer to, directly or through other"
     " used entries. Unused entries only make the message larger.",
     "ProfilesDictionary, comment on unreferenced entries"},
    {Rule::kUnknownField, Severity::kInfo, "unknown-field", "Every field of the message is known.",
     "Readers pass over fields they do not know, in JSON members of an unknown name, so the "
     "content is lost without notice. It may be from a newer version.",
     "protobuf encoding; JSON Protobuf encoding; opentelemetry-proto 1.11"},
    {Rule::kWireType, Severity::kError, "wire-type", "Every field has the wire type of its type.",
     "A reader cannot know what the bytes mean. Some reject the whole message, the OpenTelemetry "
     "Collector among them; others pass over the field.",
     "protobuf encoding, message structure"},
    {Rule::kReservedField, Severity::kInfo, "reserved-field",
     "Reserved field numbers are not used.",
     "Field 1000 of ResourceProfiles was given up and must not be given to anything else.",
     "ResourceProfiles, reserved numbers"},
    {Rule::kRepeatedSingular, Severity::kInfo, "repeated-singular",
     "A field that can be set once is written once.",
     "Protobuf merges a message that comes twice and keeps the last of other fields. Two "
     "dictionaries become one with longer tables, whose second half no index fits.",
     "protobuf encoding, last one wins"},
    {Rule::kNonMinimalVarint, Severity::kInfo, "non-minimal-varint",
     "Numbers are written in as few bytes as possible.",
     "Readers accept longer forms, but the same message no longer has the same bytes, and a "
     "strict reader may reject it.",
     "protobuf encoding, varints"},
    {Rule::kInvalidUtf8, Severity::kError, "invalid-utf8", "Text is valid UTF-8.",
     "Many protobuf libraries reject the whole message for one bad byte in a string field.",
     "protobuf language guide, string fields"},
    {Rule::kJsonForm, Severity::kInfo, "json-form", "JSON is written as OTLP/JSON asks.",
     "The reader accepted something that strict readers reject, or skipped something.",
     "OTLP specification, JSON Protobuf encoding"},
    {Rule::kResponseEmpty, Severity::kError, "response-empty", "A partial_success says something.",
     "When everything was accepted, partial_success must not be set. Without rejected profiles"
     " it is a warning to the sender and needs an error_message.",
     "ExportProfilesServiceResponse.partial_success"},
    {Rule::kResponseCount, Severity::kError, "response-count", "rejected_profiles is not negative.",
     "It is the number of profiles that were not taken.",
     "ExportProfilesPartialSuccess.rejected_profiles"},
    {Rule::kResponseReason, Severity::kWarning, "response-reason",
     "A response that rejects profiles says why.",
     "The error_message is what the sender shows to people.",
     "ExportProfilesPartialSuccess.error_message"},
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
