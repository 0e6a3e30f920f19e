// SPDX-License-Identifier: Apache-2.0
//
// ProfilesData and ExportProfilesServiceRequest (the same bytes) from protobuf, whatever their age.
//
// A message of today's layout, 1.9 or 1.8 becomes a view: the batch points into `bytes` and copies
// no text. Older ones are rebuilt into today's model and own their text.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codec/otlp/profiles/layout.h"
#include "codec/otlp/profiles/reserved_entries.h"
#include "codec/otlp/values/limits.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// Fills `batch` (emptied first; its memory is used again, which is what makes decoding a stream of
// messages cheap) and answers the layout that was recognised. Indices are not checked: see
// model/validate.h. Every table has at least its reserved entry 0 afterwards, unless a message of
// today's layout is wanted kAsSent. kInvalidArgument with the byte offset when the bytes are no
// such message, or when their layout is unknown; kResourceExhausted when a limit is met.
absl::StatusOr<Layout> DecodeProtobuf(std::string_view bytes, const Limits& limits,
                                      model::Batch* batch,
                                      ReservedEntries reserved = ReservedEntries::kAdded);

// The same read as today's layout, whatever speaks against it.
absl::Status DecodeAsTodaysLayout(std::string_view bytes, const Limits& limits, model::Batch* batch,
                                  ReservedEntries reserved);

}  // namespace flarestack::codec::otlp
