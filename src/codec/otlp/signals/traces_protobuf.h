// SPDX-License-Identifier: Apache-2.0
//
// TracesData and ExportTraceServiceRequest (the same bytes) in protobuf, and a single Span, as a
// store keeps it.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "codec/otlp/values/limits.h"
#include "codec/wire/reverse_writer.h"
#include "model/trace.h"

namespace flarestack::codec::otlp {

// Clears and fills `batch`, reusing its memory; it points into `bytes`. Does not check items: see
// model/validation/item_check.h. Returns kInvalidArgument with the byte offset if the bytes are not
// such a message; kResourceExhausted if a limit is reached. The batch is empty after an error.
absl::Status DecodeTraces(std::string_view bytes, const Limits& limits, model::TraceBatch* batch);

// Appends the message to `out`, which is written from its end. Fields are in ascending order and
// defaults are omitted: the same batch gives the same bytes.
void EncodeTraces(const model::TraceBatch& batch, wire::ReverseWriter* out);

// The fields of a Span, without tag and length.
void EncodeSpan(const model::TraceBatch& batch, const model::Span& span, wire::ReverseWriter* out);

// Appends to batch->spans, outside any scope; the batch points into `bytes`. After an error the
// list of spans is unchanged.
absl::Status DecodeSpan(std::string_view bytes, const Limits& limits, model::TraceBatch* batch);

}  // namespace flarestack::codec::otlp
