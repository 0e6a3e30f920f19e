// SPDX-License-Identifier: Apache-2.0
//
// The protocol between the program and its worker: the order on the command line, the files as
// descriptors with fixed numbers, the result through a pipe. The file being read may have taken
// over the worker, so its report is untrusted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "symbol/worker/sandbox.h"

namespace flarestack::symbol {

// The program's subcommand for a worker.
inline constexpr std::string_view kWorkerCommand = "symbol-worker";

enum WorkerDescriptor : int {
  kReportDescriptor = 3,  // the write end of a pipe
  kTableDescriptor = 4,   // an empty file
  kExecutableDescriptor = 5,
  kDebugFileDescriptor = 6,
  kSupplementaryDescriptor = 7,
  kDescriptorsEnd = 8,
};

struct WorkerOrder {
  bool has_executable = false;
  bool has_debug_file = false;
  bool has_supplementary = false;
  bool needs_filter = false;  // for system calls; without it nothing is read
  pid_t parent = 0;
  SandboxLimits limits;

  friend bool operator==(const WorkerOrder&, const WorkerOrder&);
};

std::vector<std::string> ToWords(const WorkerOrder& order);
absl::StatusOr<WorkerOrder> OrderOf(std::span<const std::string> words);

struct WorkerReport {
  absl::Status status;             // from BuildTable
  std::string warning;             // why there is no system call filter; empty if there is one
  std::vector<std::string> notes;  // from BuildTable
};

inline constexpr size_t kReportBytesMax = 256 << 10;

// Truncates long texts and drops surplus notes, so that the report always fits.
std::string Encode(const WorkerReport& report);
// Returns kInvalidArgument if it is not a report, or is empty.
absl::StatusOr<WorkerReport> DecodeReport(std::string_view bytes);

}  // namespace flarestack::symbol
