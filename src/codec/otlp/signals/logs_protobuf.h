// SPDX-License-Identifier: Apache-2.0
//
// LogsData and ExportLogsServiceRequest (the same bytes) in protobuf, and a single LogRecord, as a
// store keeps it.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "codec/otlp/values/limits.h"
#include "codec/wire/reverse_writer.h"
#include "model/log.h"

namespace flarestack::codec::otlp {

// Clears and fills `batch`, reusing its memory; it points into `bytes`. Does not check items: see
// model/validation/item_check.h. Returns kInvalidArgument with the byte offset if the bytes are not
// such a message; kResourceExhausted if a limit is reached. The batch is empty after an error.
absl::Status DecodeLogs(std::string_view bytes, const Limits& limits, model::LogBatch* batch);

// Appends the message to `out`, which is written from its end. Fields are in ascending order and
// defaults are omitted: the same batch gives the same bytes.
void EncodeLogs(const model::LogBatch& batch, wire::ReverseWriter* out);

// The fields of a LogRecord, without tag and length.
void EncodeLogRecord(const model::LogBatch& batch, const model::LogRecord& record,
                     wire::ReverseWriter* out);

// Appends to batch->log_records, outside any scope; the batch points into `bytes`. After an error
// the list of records is unchanged.
absl::Status DecodeLogRecord(std::string_view bytes, const Limits& limits, model::LogBatch* batch);

}  // namespace flarestack::codec::otlp
