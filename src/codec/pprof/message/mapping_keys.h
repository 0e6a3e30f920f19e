// SPDX-License-Identifier: Apache-2.0
//
// The names by which the mapping between pprof and OTLP carries what the other side has no field
// for. The pprof.* and process.* keys are OpenTelemetry's; those that begin with flarestack. or
// otlp. are ours, and docs/reference/pprof.md lists them.
#pragma once

#include <string_view>

namespace flarestack::codec::pprof {

// OTLP attributes.
inline constexpr std::string_view kBuildIdGnuKey = "process.executable.build_id.gnu";
inline constexpr std::string_view kBuildIdGoKey = "process.executable.build_id.go";
inline constexpr std::string_view kHasFunctionsKey = "pprof.mapping.has_functions";
inline constexpr std::string_view kHasFilenamesKey = "pprof.mapping.has_filenames";
inline constexpr std::string_view kHasLineNumbersKey = "pprof.mapping.has_line_numbers";
inline constexpr std::string_view kHasInlineFramesKey = "pprof.mapping.has_inline_frames";
inline constexpr std::string_view kIsFoldedKey = "pprof.location.is_folded";
inline constexpr std::string_view kCommentKey = "pprof.profile.comment";
inline constexpr std::string_view kDropFramesKey = "pprof.profile.drop_frames";
inline constexpr std::string_view kKeepFramesKey = "pprof.profile.keep_frames";
inline constexpr std::string_view kDocUrlKey = "pprof.profile.doc_url";
inline constexpr std::string_view kDefaultSampleTypeKey = "pprof.scope.default_sample_type";
inline constexpr std::string_view kSampleTypeOrderKey = "pprof.scope.sample_type_order";

// A mapping of which nothing is known is still not "no mapping"; this keeps it apart from the
// reserved entry.
inline constexpr std::string_view kUnknownMappingKey = "flarestack.pprof.unknown_mapping";
// Ids, where they are not 1, 2, 3...: element i belongs to table entry i + 1. On the scope.
inline constexpr std::string_view kMappingIdsKey = "flarestack.pprof.mapping_ids";
inline constexpr std::string_view kLocationIdsKey = "flarestack.pprof.location_ids";
inline constexpr std::string_view kFunctionIdsKey = "flarestack.pprof.function_ids";
// A label key may hold texts and numbers of several units; each run after the first gets this
// prefix and its number.
inline constexpr std::string_view kLabelRunPrefix = "flarestack.pprof.label.";

// pprof labels.
inline constexpr std::string_view kTraceIdLabel = "trace_id";
inline constexpr std::string_view kSpanIdLabel = "span_id";
inline constexpr std::string_view kLinkLabel = "otlp.link";  // where those two are taken
inline constexpr std::string_view kTimestampLabel = "otlp.timestamp_unix_nano";  // of a value
inline constexpr std::string_view kEventLabel =
    "otlp.event_unix_nano";  // of an event that counts 1
inline constexpr std::string_view kTimeUnit = "nanoseconds";
inline constexpr std::string_view kBundleLabel =
    "otlp.profile_group";  // which profiles of the message
inline constexpr std::string_view kAbsentLabel =
    "otlp.absent_column";  // a 0 that stands for "no such sample"
inline constexpr std::string_view kColumnUnit =
    "column";  // pprof itself drops a number 0 without unit

// A pprof comment that holds, as OTLP/JSON, all of the message but its samples.
inline constexpr std::string_view kEnvelopeComment = "flarestack.otlp/1 ";

}  // namespace flarestack::codec::pprof
