// SPDX-License-Identifier: Apache-2.0
//
// Does a profiles message follow the OTLP specification and the semantic conventions? Looks at a
// message as it was sent, whatever it holds: no index is trusted, and nothing is changed.
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
#include "codec/input.h"
#include "model/batch.h"

namespace flarestack::check {

struct CheckOptions {
  uint64_t findings_per_rule = 10;  // kept; 0 for all
  bool is_from_pprof = false;       // the message was converted from pprof, whatever else it says
  uint64_t now_unix_nano = 0;       // what "in the future" is measured by; 0 for the clock
  codec::InputLimits limits = {};
};

// The indices of the batch may be anything. Wire-level rules need bytes and are left out.
Report Check(const model::Batch& batch, const CheckOptions& options);

struct FileReport {
  std::string format;       // name of the reader: "otlp", "otlp-json", "pprof"
  std::string compression;  // "gzip", "zstd" or empty
  std::string layout;       // "1.10 or later"; empty when the format has none; several are joined
  uint64_t message_count = 0;
  Report report;
};

// Any format that can be read. OTLP is checked as it stands; with several messages in one file the
// paths begin with message[i]. Others are converted to OTLP first. kInvalidArgument or
// kResourceExhausted when the bytes cannot be read.
absl::StatusOr<FileReport> CheckBytes(std::string_view bytes, const CheckOptions& options);

// An ExportProfilesServiceResponse, protobuf or JSON.
absl::StatusOr<FileReport> CheckResponse(std::string bytes, const CheckOptions& options);

}  // namespace flarestack::check
