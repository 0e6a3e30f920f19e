// SPDX-License-Identifier: Apache-2.0
//
// Keys under which the conversion between pprof and OTLP stores data that has no field on the other
// side. The pprof.* and process.* keys are OpenTelemetry's; those that begin with flarestack. or
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

// A mapping without any known data differs from "no mapping"; this key distinguishes it from the
// reserved entry.
inline constexpr std::string_view kUnknownMappingKey = "flarestack.pprof.unknown_mapping";
// Scope attributes for ids that are not 1, 2, 3...: element i belongs to table entry i + 1.
inline constexpr std::string_view kMappingIdsKey = "flarestack.pprof.mapping_ids";
inline constexpr std::string_view kLocationIdsKey = "flarestack.pprof.location_ids";
inline constexpr std::string_view kFunctionIdsKey = "flarestack.pprof.function_ids";
// A label key may have texts and numbers with several units; each run after the first gets this
// prefix and its number.
inline constexpr std::string_view kLabelRunPrefix = "flarestack.pprof.label.";

// pprof labels.
inline constexpr std::string_view kTraceIdLabel = "trace_id";
inline constexpr std::string_view kSpanIdLabel = "span_id";
inline constexpr std::string_view kLinkLabel = "otlp.link";  // if those two keys are in use
inline constexpr std::string_view kTimestampLabel = "otlp.timestamp_unix_nano";  // of a value
inline constexpr std::string_view kEventLabel =
    "otlp.event_unix_nano";  // of an event that counts 1
inline constexpr std::string_view kTimeUnit = "nanoseconds";
inline constexpr std::string_view kBundleLabel =
    "otlp.profile_group";  // the group of profiles in the message
inline constexpr std::string_view kAbsentLabel =
    "otlp.absent_column";                                  // marks a 0 that means "no such sample"
inline constexpr std::string_view kColumnUnit = "column";  // pprof drops a number 0 without a unit

// A pprof comment with the whole message except its samples, as OTLP/JSON.
inline constexpr std::string_view kEnvelopeComment = "flarestack.otlp/1 ";

}  // namespace flarestack::codec::pprof
