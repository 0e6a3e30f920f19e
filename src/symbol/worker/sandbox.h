// SPDX-License-Identifier: Apache-2.0
//
// What a process that reads files of others may do: compute, allocate, and write to what it has
// open. Whoever takes it over through a broken file can neither open another file nor reach the
// network, start a program, or look at another process.
//
// All three act on the calling process and cannot be undone.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "absl/status/status.h"

namespace flarestack::symbol {

struct SandboxLimits {
  // Of address space, on top of what the process has mapped when it is limited. Without effect
  // under a sanitizer, which reserves terabytes.
  uint64_t memory_bytes = uint64_t{8} << 30;
  uint64_t cpu_seconds = 300;               // since the process began; SIGXCPU. 0 counts as 1
  uint64_t file_bytes = uint64_t{4} << 30;  // that it may write into one file; SIGXFSZ
};

// Also: no core file, no further descriptor, and no privileges by starting a program.
absl::Status LimitProcess(const SandboxLimits& limits);

// The process is killed when the thread that started it ends. kAborted when that is so already.
absl::Status EndWithParent(pid_t parent);

// From now on a system call that is not needed for the above kills the process (SIGSYS), but for
// questions after files by name: libraries look for neighbours of a file, and are told that there
// are none. kUnimplemented when the kernel has no such filters.
absl::Status FilterSystemCalls();

}  // namespace flarestack::symbol
