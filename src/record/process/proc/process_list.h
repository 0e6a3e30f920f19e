// SPDX-License-Identifier: Apache-2.0
//
// Lists processes and threads, and reads thread names and start times. The start time distinguishes
// two processes with the same pid.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// Lists all of /proc, unordered. Returns kResourceExhausted above `processes_max`.
absl::StatusOr<std::vector<pid_t>> ListProcesses(size_t processes_max = 1 << 22);

// Returns the first `threads_max` threads that the kernel lists.
absl::StatusOr<std::vector<pid_t>> ListThreads(pid_t pid, size_t threads_max);

// The kernel's name of a thread; at most 15 bytes for user threads.
absl::StatusOr<std::string> ThreadName(pid_t pid, pid_t tid);

// Returns the start time of the process, in nanoseconds of CLOCK_BOOTTIME, truncated to whole clock
// ticks (10 ms). The kernel has it in nanoseconds (group_leader->start_boottime); compare the two
// with IsSameStart.
absl::StatusOr<uint64_t> StartTime(pid_t pid);

// Returns the process that started it, or the one that adopted it when that exited; 0 for the first
// process.
absl::StatusOr<pid_t> ParentOf(pid_t pid);

// Returns whether `kernel_ns`, from the kernel, and `stat_ns`, from StartTime, are the same moment.
// A pid is reused only after all others were used once, so never within one tick.
bool IsSameStart(uint64_t kernel_ns, uint64_t stat_ns);

// Returns field 22 of /proc/PID/stat in clock ticks. Handles names with spaces and parentheses.
std::optional<uint64_t> ParseStartTicks(std::string_view stat);

// Texts about a process from /proc. Unreadable texts are empty.
struct ProcessTexts {
  std::string environment;   // at most 1 MiB
  std::string command_line;  // at most 64 KiB
  std::string executable;    // path as seen by the process, also of a deleted file
  std::string working_directory;
  std::string thread_name;
};

// Returns kNotFound if there is no such process.
absl::StatusOr<ProcessTexts> ReadProcessTexts(pid_t pid);

// Returns the path as seen by the process, also of a deleted file; empty if it cannot be read.
std::string ReadExecutable(pid_t pid);

}  // namespace flarestack::record::agent
