// SPDX-License-Identifier: Apache-2.0
//
// Decodes ProfilesData and ExportProfilesServiceRequest (the same bytes) of any version from
// protobuf.
//
// A message of the current layout, 1.9 or 1.8 becomes a view: the batch points into `bytes` and
// copies no text. Older messages are converted to the current model and own their text.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codec/otlp/profiles/layout.h"
#include "codec/otlp/profiles/reserved_entries.h"
#include "codec/otlp/values/limits.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// Clears and fills `batch`, and returns the detected layout. The memory of `batch` is reused, which
// makes decoding a stream of messages cheap. Does not check indices: see
// model/validation/validate.h. Every table has at least its reserved entry 0 afterwards, unless
// kAsSent is requested for a message of the current layout. Returns kInvalidArgument with the byte
// offset if the bytes are not such a message or have an unknown layout; kResourceExhausted if a
// limit is reached.
absl::StatusOr<Layout> DecodeProtobuf(std::string_view bytes, const Limits& limits,
                                      model::Batch* batch,
                                      ReservedEntries reserved = ReservedEntries::kAdded);

// Same, but reads the message as the current layout regardless of contrary evidence.
absl::Status DecodeAsTodaysLayout(std::string_view bytes, const Limits& limits, model::Batch* batch,
                                  ReservedEntries reserved);

}  // namespace flarestack::codec::otlp
