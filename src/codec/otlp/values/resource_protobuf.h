// SPDX-License-Identifier: Apache-2.0
//
// A single Resource or InstrumentationScope in protobuf, for a store that keeps each once next to
// many items. Equal ones give equal bytes. The caller handles data outside the message (schema_url,
// and whether the message was present).
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "codec/otlp/values/limits.h"
#include "codec/wire/reverse_writer.h"
#include "model/signal_batch.h"

namespace flarestack::codec::otlp {

// Writes the fields of the message to `out` from its end, without tag and length.
void EncodeResource(const model::SignalBatch& batch, const model::Resource& resource,
                    wire::ReverseWriter* out);
void EncodeScope(const model::SignalBatch& batch, const model::InstrumentationScope& scope,
                 wire::ReverseWriter* out);

// Appends to batch->resources, without scopes, or to batch->scopes, without items. The batch points
// into `bytes`. Returns kInvalidArgument with the byte offset if the bytes are malformed,
// kResourceExhausted if a limit is reached; the two lists are then unchanged.
absl::Status DecodeResource(std::string_view bytes, const Limits& limits,
                            model::SignalBatch* batch);
absl::Status DecodeScope(std::string_view bytes, const Limits& limits, model::SignalBatch* batch);

}  // namespace flarestack::codec::otlp
