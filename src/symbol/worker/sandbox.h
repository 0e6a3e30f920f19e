// SPDX-License-Identifier: Apache-2.0
//
// Restricts a process that reads untrusted files: it may compute, allocate, and write to its open
// descriptors. An attacker who takes it over with a malicious file cannot open another file, reach
// the network, start a program, or inspect another process.
//
// All three functions act on the calling process and cannot be undone.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "absl/status/status.h"

namespace flarestack::symbol {

struct SandboxLimits {
  // Address space, in addition to what is already mapped when the limit is set. No effect under a
  // sanitizer, which reserves terabytes.
  uint64_t memory_bytes = uint64_t{8} << 30;
  uint64_t cpu_seconds = 300;               // since the process started; SIGXCPU. 0 counts as 1
  uint64_t file_bytes = uint64_t{4} << 30;  // maximum size of a written file; SIGXFSZ
};

// Also disables core files, new descriptors, and gaining privileges through exec.
absl::Status LimitProcess(const SandboxLimits& limits);

// Kills the process when the thread that started it exits. Returns kAborted if it already has.
absl::Status EndWithParent(pid_t parent);

// From now on, an unneeded system call kills the process (SIGSYS). Calls that look up files by name
// fail instead: libraries look for files beside a file, and get ENOENT. Returns kUnimplemented if
// the kernel has no seccomp filters.
absl::Status FilterSystemCalls();

}  // namespace flarestack::symbol
