// SPDX-License-Identifier: Apache-2.0
//
// Checks whether a profiles message follows the OTLP specification and the semantic conventions.
// Works on the message as sent, with any content: it trusts no index and changes nothing.
//
//   Report report = Check(batch, {});
//   FLARE_ASSIGN(FileReport file, CheckBytes(bytes, {}));
//
// The rules are in check/rule.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "check/report.h"
#include "codec/input_collector.h"
#include "model/batch.h"

namespace flarestack::check {

struct CheckOptions {
  uint64_t findings_per_rule = 10;  // findings kept per rule; 0 keeps all
  bool is_from_pprof = false;       // treat as converted from pprof even without signs of it
  uint64_t now_unix_nano = 0;       // the reference for "in the future"; 0 uses the clock
  codec::InputLimits limits = {};
};

// The indices of the batch may have any value. Skips the wire-level rules, which need bytes.
Report Check(const model::Batch& batch, const CheckOptions& options);

struct FileReport {
  std::string format;       // name of the reader: "otlp", "otlp-json", "pprof"
  std::string compression;  // "gzip", "zstd" or empty
  std::string layout;       // "1.10 or later"; empty if the format has none; several are joined
  uint64_t message_count = 0;
  Report report;
};

// Accepts any readable format. OTLP is checked as sent; if a file has several messages, paths begin
// with message[i]. Other formats are converted to OTLP first. Returns kInvalidArgument or
// kResourceExhausted if the bytes cannot be read.
absl::StatusOr<FileReport> CheckBytes(std::string_view bytes, const CheckOptions& options);

// Checks an ExportProfilesServiceResponse in protobuf or JSON.
absl::StatusOr<FileReport> CheckResponse(std::string bytes, const CheckOptions& options);

}  // namespace flarestack::check
