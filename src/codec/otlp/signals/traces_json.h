// SPDX-License-Identifier: Apache-2.0
//
// TracesData and ExportTraceServiceRequest (the same members) in OTLP/JSON.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "base/warnings.h"
#include "codec/format/format.h"
#include "codec/otlp/values/limits.h"
#include "model/trace.h"

namespace flarestack::codec::otlp {

// Clears and fills `batch`, which owns its text and is empty after an error. Does not check items:
// see model/item_check.h. Returns kInvalidArgument with the path of the member, or with the byte
// offset for text that is not JSON; kResourceExhausted if a limit is reached.
absl::Status DecodeTracesJson(std::string_view json, const Limits& limits, model::TraceBatch* batch,
                              base::Warnings* warnings);

// Compact, members in the order of the field numbers, defaults omitted. Returns only errors of
// `write`.
absl::Status EncodeTracesJson(const model::TraceBatch& batch, WriteBytes write);

}  // namespace flarestack::codec::otlp
