// SPDX-License-Identifier: Apache-2.0
//
// TracesData and ExportTraceServiceRequest (the same bytes) in protobuf, and one Span by itself, as
// a store keeps it.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "codec/otlp/values/limits.h"
#include "codec/wire/reverse_writer.h"
#include "model/trace.h"

namespace flarestack::codec::otlp {

// Empties `batch` and fills it; its memory is used again, and it points into `bytes`. Items are not
// checked: see model/item_check.h. kInvalidArgument with the byte offset when the bytes are no such
// message; kResourceExhausted when a limit is met. The batch is empty after an error.
absl::Status DecodeTraces(std::string_view bytes, const Limits& limits, model::TraceBatch* batch);

// Appends the message to `out`, which is written from its end. Fields ascend and defaults are left
// out: the same batch gives the same bytes.
void EncodeTraces(const model::TraceBatch& batch, wire::ReverseWriter* out);

// The fields of a Span, without tag and length.
void EncodeSpan(const model::TraceBatch& batch, const model::Span& span, wire::ReverseWriter* out);

// Appended to batch->spans, in no scope; the batch points into `bytes`. After an error the list of
// spans is unchanged.
absl::Status DecodeSpan(std::string_view bytes, const Limits& limits, model::TraceBatch* batch);

}  // namespace flarestack::codec::otlp
