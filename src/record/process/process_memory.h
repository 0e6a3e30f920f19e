// SPDX-License-Identifier: Apache-2.0
//
// The memory of another process, read while it runs: nothing is stopped, so what is read may change
// meanwhile. Needs the rights of ptrace.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// Fills all of `out` with the bytes from `address` on, or is an error: kNotFound when the process
// is gone, kPermissionDenied, kOutOfRange when nothing is mapped there.
absl::Status ReadMemory(pid_t pid, uint64_t address, std::span<char> out);

// The same as a value, so that a test can put other memory in its place.
using MemoryReader = absl::FunctionRef<absl::Status(uint64_t address, std::span<char> out)>;

absl::StatusOr<uint64_t> ReadWord(MemoryReader read, uint64_t address);

}  // namespace flarestack::record::agent
