// SPDX-License-Identifier: Apache-2.0
//
// OTLP/JSON in: one ProfilesData or ExportProfilesServiceRequest object (both have the same
// members) into a batch.
//
// Taken beyond the letter of OTLP/JSON: names in snake_case (with a warning), 64-bit integers as
// numbers, whole numbers written as 1e9, profileId as base64, names of the versions 1.8 and 1.9.
// Messages of version 1.7 and older have another shape and are refused by name.
#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "base/warnings.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// What one message may hold; an error names the limit. Attribute values and unknown members have a
// limit of nesting of their own, 64 levels (json_value_reader.h, json_input.h), and simdjson takes
// texts up to 4 GiB, so that what is not counted here (values, timestamps, lines, indices) fits in
// 32 bits.
struct JsonLimits {
  size_t table_entries_max =
      size_t{1} << 24;  // in each table, and of resources, scopes, profiles and entity refs each
  size_t samples_max = size_t{1} << 26;
};

// Empties `out` and fills it; after an error it is empty. The batch owns its text. No index is
// checked (see model/validate.h), but every table has its entry 0. Errors are kInvalidArgument and
// say where: "resourceProfiles[0].schemaUrl: expected a string, found 7", or the byte offset for a
// text that is not JSON.
absl::Status DecodeJson(std::string_view json, model::Batch* out, base::Warnings* warnings,
                        const JsonLimits& limits = {});

}  // namespace flarestack::codec::otlp
