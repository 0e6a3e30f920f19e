// SPDX-License-Identifier: Apache-2.0
//
// LogsData and ExportLogsServiceRequest (the same members) in OTLP/JSON.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "base/warnings.h"
#include "codec/format/format.h"
#include "codec/otlp/values/limits.h"
#include "model/log.h"

namespace flarestack::codec::otlp {

// Empties `batch` and fills it; it owns its text, and is empty after an error. Items are not
// checked: see model/item_check.h. Errors are kInvalidArgument and say where, by the path of the
// member or by the byte offset for a text that is not JSON; or kResourceExhausted when a limit is
// met.
absl::Status DecodeLogsJson(std::string_view json, const Limits& limits, model::LogBatch* batch,
                            base::Warnings* warnings);

// Compact, members in the order of the field numbers, defaults left out. An error is one of
// `write`.
absl::Status EncodeLogsJson(const model::LogBatch& batch, WriteBytes write);

}  // namespace flarestack::codec::otlp
