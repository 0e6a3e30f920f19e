// SPDX-License-Identifier: Apache-2.0
//
// What the program and its worker tell each other: the order on the command line, the files as
// descriptors of fixed numbers, the outcome through a pipe. The worker may be in the hands of the
// file it reads, so its report is untrusted.
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

// The subcommand of the program that is a worker.
inline constexpr std::string_view kWorkerCommand = "symbol-worker";

enum WorkerDescriptor : int {
  kReportDescriptor = 3,  // the end of a pipe
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
  bool needs_filter = false;  // of system calls; without one nothing is read
  pid_t parent = 0;
  SandboxLimits limits;

  friend bool operator==(const WorkerOrder&, const WorkerOrder&);
};

std::vector<std::string> ToWords(const WorkerOrder& order);
absl::StatusOr<WorkerOrder> OrderOf(std::span<const std::string> words);

struct WorkerReport {
  absl::Status status;             // of BuildTable
  std::string warning;             // why there is no filter of system calls; empty when there is
  std::vector<std::string> notes;  // of BuildTable
};

inline constexpr size_t kReportBytesMax = 256 << 10;

// Long texts and surplus notes are cut, so that it always fits.
std::string Encode(const WorkerReport& report);
// kInvalidArgument for what is no report, an empty one among them.
absl::StatusOr<WorkerReport> DecodeReport(std::string_view bytes);

}  // namespace flarestack::symbol
