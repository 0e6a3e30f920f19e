// SPDX-License-Identifier: Apache-2.0
//
// LogsData and ExportLogsServiceRequest (the same bytes) in protobuf, and one LogRecord by itself,
// as a store keeps it.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "codec/otlp/values/limits.h"
#include "codec/wire/reverse_writer.h"
#include "model/log.h"

namespace flarestack::codec::otlp {

// Empties `batch` and fills it; its memory is used again, and it points into `bytes`. Items are not
// checked: see model/item_check.h. kInvalidArgument with the byte offset when the bytes are no such
// message; kResourceExhausted when a limit is met. The batch is empty after an error.
absl::Status DecodeLogs(std::string_view bytes, const Limits& limits, model::LogBatch* batch);

// Appends the message to `out`, which is written from its end. Fields ascend and defaults are left
// out: the same batch gives the same bytes.
void EncodeLogs(const model::LogBatch& batch, wire::ReverseWriter* out);

// The fields of a LogRecord, without tag and length.
void EncodeLogRecord(const model::LogBatch& batch, const model::LogRecord& record,
                     wire::ReverseWriter* out);

// Appended to batch->log_records, in no scope; the batch points into `bytes`. After an error the
// list of records is unchanged.
absl::Status DecodeLogRecord(std::string_view bytes, const Limits& limits, model::LogBatch* batch);

}  // namespace flarestack::codec::otlp
