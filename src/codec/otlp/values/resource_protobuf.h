// SPDX-License-Identifier: Apache-2.0
//
// A Resource and an InstrumentationScope by themselves in protobuf, for a store that keeps each of
// them once beside many items. Equal ones give equal bytes. What is not part of the message
// (schema_url, and whether there was a message at all) is up to the caller.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "codec/otlp/values/limits.h"
#include "codec/wire/reverse_writer.h"
#include "model/signal_batch.h"

namespace flarestack::codec::otlp {

// `out` is written from its end and gets the fields of the message, without tag and length.
void EncodeResource(const model::SignalBatch& batch, const model::Resource& resource,
                    wire::ReverseWriter* out);
void EncodeScope(const model::SignalBatch& batch, const model::InstrumentationScope& scope,
                 wire::ReverseWriter* out);

// Appended to batch->resources, without scopes, or to batch->scopes, without items. The batch
// points into `bytes`. kInvalidArgument with the byte offset when the bytes are bad,
// kResourceExhausted when a limit is met; the two lists are then unchanged.
absl::Status DecodeResource(std::string_view bytes, const Limits& limits,
                            model::SignalBatch* batch);
absl::Status DecodeScope(std::string_view bytes, const Limits& limits, model::SignalBatch* batch);

}  // namespace flarestack::codec::otlp
