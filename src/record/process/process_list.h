// SPDX-License-Identifier: Apache-2.0
//
// Which processes and threads there are, what threads are called, and when a process began, which
// tells two processes with the same number apart.
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

// All of /proc, in no order. kResourceExhausted above `processes_max`.
absl::StatusOr<std::vector<pid_t>> ListProcesses(size_t processes_max = 1 << 22);

// The first `threads_max` that the kernel lists.
absl::StatusOr<std::vector<pid_t>> ListThreads(pid_t pid, size_t threads_max);

// The kernel's name of a thread, at most 15 bytes.
absl::StatusOr<std::string> ThreadName(pid_t pid, pid_t tid);

// When the process began, in nanoseconds of CLOCK_BOOTTIME, cut to whole clock ticks (10 ms). The
// kernel itself knows it to the nanosecond (group_leader->start_boottime); compare the two with
// IsSameStart.
absl::StatusOr<uint64_t> StartTime(pid_t pid);

// The process that started it, or the one that took it over when that ended; 0 for the first.
absl::StatusOr<pid_t> ParentOf(pid_t pid);

// Whether `kernel_ns`, from the kernel, and `stat_ns`, from StartTime, name the same moment. A
// process number comes back after all others were used once, so within one tick it never does.
bool IsSameStart(uint64_t kernel_ns, uint64_t stat_ns);

// Field 22 of /proc/PID/stat in clock ticks. Names with blanks and parentheses are no trouble.
std::optional<uint64_t> ParseStartTicks(std::string_view stat);

}  // namespace flarestack::record::agent
