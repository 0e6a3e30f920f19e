// SPDX-License-Identifier: Apache-2.0
//
// OTLP/JSON in: one ProfilesData or ExportProfilesServiceRequest object (both have the same
// members) into a batch.
//
// Taken beyond the letter of OTLP/JSON: names in snake_case (with a warning), 64-bit integers as
// numbers, whole numbers written as 1e9, profileId as base64, names of the versions 1.8 and 1.9.
// Messages of version 1.7 and older have another shape and are refused by name.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "base/warnings.h"
#include "codec/otlp/json/json_observer.h"
#include "codec/otlp/profiles/reserved_entries.h"
#include "codec/otlp/values/limits.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// What an id does that is no hexadecimal number: of a file somebody should know, and a server must
// not lose a whole request for it.
enum class BadIds {
  kRefused,
  kLeftOut,  // with a warning; samples with such a link have none
};

// Empties `out` and fills it; after an error it is empty. The batch owns its text. No index is
// checked (see model/validate.h), but every table has its entry 0, unless it is wanted kAsSent and
// the message is not one of version 1.8 with comments. Errors are kInvalidArgument and
// say where: "resourceProfiles[0].schemaUrl: expected a string, found 7", or the byte offset for a
// text that is not JSON; or kResourceExhausted when a limit is met.
absl::Status DecodeJson(std::string_view json, model::Batch* out, base::Warnings* warnings,
                        const Limits& limits = {},
                        ReservedEntries reserved = ReservedEntries::kAdded,
                        BadIds bad_ids = BadIds::kRefused);

// For those who look for faults: kAsSent, unknown members are told to `observer`, and ids of a
// wrong length or form do not end it.
absl::Status DecodeJsonObserved(std::string_view json, model::Batch* out, base::Warnings* warnings,
                                JsonObserver* observer);

}  // namespace flarestack::codec::otlp
