// SPDX-License-Identifier: Apache-2.0
//
// Reads the record of a goroutine from the memory of its process, with the same steps as in BPF.
// For tests: the process runs on, so its memory may change in the meantime.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record/bpf/go_process.h"
#include "record/process/proc/process_memory.h"

namespace flarestack::record::agent {

// `g` is what the thread's pointer to g contains. Returns nullopt if the thread runs no goroutine.
std::optional<std::string> ReadGoroutine(const bpf::go_process& go, uint64_t g, MemoryReader read);

}  // namespace flarestack::record::agent
