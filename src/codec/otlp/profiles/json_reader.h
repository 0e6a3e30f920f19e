// SPDX-License-Identifier: Apache-2.0
//
// Reads OTLP/JSON: one ProfilesData or ExportProfilesServiceRequest object (both have the same
// members) into a batch.
//
// Accepts more than OTLP/JSON requires: names in snake_case (with a warning), 64-bit integers as
// numbers, integers written as 1e9, profileId as base64, names of the versions 1.8 and 1.9.
// Messages of version 1.7 and older have a different shape and are rejected with an error that
// names the version.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "base/warnings.h"
#include "codec/otlp/json/json_observer.h"
#include "codec/otlp/profiles/reserved_entries.h"
#include "codec/otlp/values/limits.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// How to handle an id that is not hexadecimal. In a file it is an error the user should see; a
// server must not lose a whole request because of it.
enum class BadIds {
  kRejected,
  kDropped,  // with a warning; samples lose such a link
};

// Clears and fills `out`; it is empty after an error. The batch owns its text. Does not check
// indices (see model/validation/validate.h). Every table has its entry 0, unless kAsSent is
// requested and the message is not of version 1.8 with comments. Returns kInvalidArgument with the
// place, "resourceProfiles[0].schemaUrl: expected a string, found 7", or with the byte offset for
// text that is not JSON; kResourceExhausted if a limit is reached.
absl::Status DecodeJson(std::string_view json, model::Batch* out, base::Warnings* warnings,
                        const Limits& limits = {},
                        ReservedEntries reserved = ReservedEntries::kAdded,
                        BadIds bad_ids = BadIds::kRejected);

// For conformance checks: uses kAsSent, reports unknown members to `observer`, and continues after
// ids of a wrong length or form.
absl::Status DecodeJsonObserved(std::string_view json, model::Batch* out, base::Warnings* warnings,
                                JsonObserver* observer);

}  // namespace flarestack::codec::otlp
