// SPDX-License-Identifier: Apache-2.0
//
// A process that runs CPython: what BPF needs to walk its threads, and what naming frames needs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "record/bpf/python_process.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/python/python_file.h"
#include "record/runtime/python/python_layout.h"

namespace flarestack::record::runtime {

// A thread that the interpreter knows.
struct PythonThread {
  uint64_t state = 0;      // address of its PyThreadState
  uint64_t thread_id = 0;  // pthread_self()
};

struct PythonProcess {
  PythonLayout layout;
  bpf::python_process kernel_side = {};
  uint64_t code_type = 0;  // address of PyCode_Type in the process; 0 if unknown
  // thread pointer = thread_id + this: 0 on x86-64; the size of a thread descriptor on arm64.
  int64_t thread_pointer_offset = 0;
};

// `bias` is the difference between addresses in the process and in the file. `pid` is used to find
// the C library. Returns kUnavailable while the interpreter is starting: try again later.
absl::StatusOr<PythonProcess> AttachPython(const PythonFile& file, uint64_t bias, pid_t pid,
                                           agent::MemoryReader read);

// The threads of all interpreters, at most 256. Returns kUnavailable if there is none yet.
absl::StatusOr<std::vector<PythonThread>> ListPythonThreads(const PythonLayout& layout,
                                                            uint64_t runtime_address,
                                                            agent::MemoryReader read);

}  // namespace flarestack::record::runtime
