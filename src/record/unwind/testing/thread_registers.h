// SPDX-License-Identifier: Apache-2.0
//
// The registers of a thread that this process traces, in the order of DWARF.
#pragma once

#include <sys/types.h>

#include <optional>

#include "record/bpf/layout.h"

namespace flarestack::record::unwind::testing {

// Returns nullopt if the thread is not stopped.
std::optional<bpf::unwind_registers> ReadRegisters(pid_t tid);

}  // namespace flarestack::record::unwind::testing
