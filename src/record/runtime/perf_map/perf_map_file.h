// SPDX-License-Identifier: Apache-2.0
//
// Follows the perf map of a process: /tmp/perf-PID.map, as the process sees /tmp and its own pid.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "elf/jit/perf_map.h"
#include "record/runtime/perf_map/growing_file.h"

namespace flarestack::record::runtime {

class PerfMapFile {
 public:
  // `start_ns` as returned by agent::StartTime.
  PerfMapFile(pid_t pid, uint64_t start_ns, const elf::PerfMap::Limits& limits = {})
      : pid_(pid), start_ns_(start_ns), limits_(limits), map_(limits) {}

  // Reads what the process added, at most 8 MiB. Starts again if the file was replaced. Returns
  // kNotFound without a file or process, kPermissionDenied if the file belongs to another user,
  // kFailedPrecondition if it is older than the process. After an error there are no names.
  absl::Status Refresh();

  // Returns an empty view if the address has no name. Also empty while there is more to read, since
  // the code may have been replaced. Valid until the next Refresh.
  std::string_view Find(uint64_t address) const;

  bool has_more() const { return !file_.is_at_end(); }
  const elf::PerfMap& map() const { return map_; }

 private:
  absl::Status ReadMore();
  void Reset();

  pid_t pid_;
  uint64_t start_ns_;
  elf::PerfMap::Limits limits_;
  elf::PerfMap map_;
  GrowingFile file_;
};

}  // namespace flarestack::record::runtime
