// SPDX-License-Identifier: Apache-2.0
//
// Reads the memory of another process while it runs. Nothing is stopped, so the memory may change
// in the meantime. Needs ptrace permission.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// Fills all of `out` with the bytes at `address`. Returns kNotFound if the process is gone,
// kPermissionDenied, or kOutOfRange if nothing is mapped there.
absl::Status ReadMemory(pid_t pid, uint64_t address, std::span<char> out);

// Reads as many of the bytes from `address` on as are mapped, and returns their number. For many
// small reads: an error costs nothing.
size_t ReadMemoryBegin(pid_t pid, uint64_t address, std::span<char> out);

// ReadMemory as a value, so that tests can substitute other memory.
using MemoryReader = absl::FunctionRef<absl::Status(uint64_t address, std::span<char> out)>;

absl::StatusOr<uint64_t> ReadWord(MemoryReader read, uint64_t address);

}  // namespace flarestack::record::agent
