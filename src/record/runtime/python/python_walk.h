// SPDX-License-Identifier: Apache-2.0
//
// Walks the Python frames of a thread from user space, with the same steps as in BPF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "record/bpf/python_process.h"
#include "record/process/process_memory.h"

namespace flarestack::record::runtime {

// Innermost first, at most `frames_max`, including skipped ones. Ends early if a frame cannot be
// read. Returns kUnavailable if the thread's state cannot be read. If the thread runs meanwhile,
// the result may mix several moments.
absl::StatusOr<std::vector<bpf::python_frame>> WalkPython(const bpf::python_process& process,
                                                          uint64_t thread_pointer,
                                                          agent::MemoryReader read,
                                                          size_t frames_max);

}  // namespace flarestack::record::runtime
