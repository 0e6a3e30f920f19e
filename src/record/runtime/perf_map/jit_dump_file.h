// SPDX-License-Identifier: Apache-2.0
//
// Follows the jitdump of a process: jit-PID.dump in any folder. The process maps its begin as code,
// which is how it is found.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "elf/jit/jitdump.h"
#include "record/process/proc/process_maps.h"
#include "record/runtime/perf_map/growing_file.h"

namespace flarestack::record::runtime {

class JitDumpFile {
 public:
  // `start_ns` as returned by agent::StartTime.
  JitDumpFile(pid_t pid, uint64_t start_ns, const elf::JitDump::Limits& limits = {})
      : pid_(pid), start_ns_(start_ns), limits_(limits), dump_(limits) {}

  // Looks for the file in the mappings of the process. Returns kNotFound if there is none. Reads
  // all mappings, so call it rarely.
  absl::Status Look();

  // Reads what the process added, at most 32 MiB. Call it after Look. Returns the errors of
  // PerfMapFile::Refresh, and kInvalidArgument for a damaged file. After an error there are no
  // names, and Look has to be called again.
  absl::Status Refresh();

  bool is_found() const { return mapping_.has_value(); }

  // Returns the code at an address at a time on CLOCK_MONOTONIC, or null. Valid until the next
  // Refresh.
  const elf::JitCode* Find(uint64_t address, uint64_t time_ns) const;

  const elf::JitDump& dump() const { return dump_; }

 private:
  absl::Status ReadMore();
  absl::Status ReadRecords(int file);
  void Reset();

  pid_t pid_;
  uint64_t start_ns_;
  elf::JitDump::Limits limits_;
  elf::JitDump dump_;
  GrowingFile file_;
  std::optional<agent::ProcessMapping> mapping_;
  bool has_more_ = false;
};

}  // namespace flarestack::record::runtime
