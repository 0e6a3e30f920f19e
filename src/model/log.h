// SPDX-License-Identifier: Apache-2.0
//
// One OTLP logs message in memory; see model/signal_batch.h for the tree around the records.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/signal_batch.h"

namespace flarestack::model {

// The first number of each range of four: INFO is 9 to 12. 0 is unspecified.
enum class SeverityNumber : int32_t {
  kUnspecified = 0,
  kTrace = 1,
  kDebug = 5,
  kInfo = 9,
  kWarn = 13,
  kError = 17,
  kFatal = 21,
};

struct LogRecord {
  uint64_t time_unix_nano = 0;  // 0 if unknown; the observed time is used instead
  uint64_t observed_time_unix_nano = 0;
  SeverityNumber severity_number = SeverityNumber::kUnspecified;
  std::string_view severity_text;
  AnyValue body;     // empty if there is no body
  Slice attributes;  // in nodes
  uint32_t dropped_attributes_count = 0;
  uint32_t flags = 0;         // the low byte contains the W3C trace flags
  std::string_view trace_id;  // as received, of any length; see model/validation/item_check.h
  std::string_view span_id;
  std::string_view event_name;  // if not empty, the record is an event
};

struct LogBatch : SignalBatch {
  std::vector<LogRecord> log_records;

  // Empties every table but keeps the memory for the next message. Does not touch the arena.
  void Clear();
};

}  // namespace flarestack::model
