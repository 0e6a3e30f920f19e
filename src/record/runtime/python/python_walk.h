// SPDX-License-Identifier: Apache-2.0
//
// Walks the Python frames of a thread from user space, with the same steps as in BPF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "record/bpf/python_process.h"
#include "record/process/proc/process_memory.h"

namespace flarestack::record::runtime {

// The steps one by one. `process` and what `read` refers to must outlive this object.
class PythonWalk {
 public:
  PythonWalk(const bpf::python_process& process, agent::MemoryReader read)
      : process_(process), read_(read) {}

  // Finds the innermost frame. Returns false if the thread's state cannot be read.
  bool Begin(uint64_t thread_pointer);

  bool has_next() const { return cursor_.frame != 0; }

  // Requires has_next(). Returns nullopt if the frame cannot be read; it is then the last.
  std::optional<bpf::python_frame> Next();

 private:
  const bpf::python_process& process_;
  agent::MemoryReader read_;
  bpf::python_cursor cursor_ = {};
  bpf::python_scratch scratch_ = {};
};

// Innermost first, at most `frames_max`, including skipped ones. Ends early if a frame cannot be
// read. Returns kUnavailable if the thread's state cannot be read. If the thread runs meanwhile,
// the result may mix several moments.
absl::StatusOr<std::vector<bpf::python_frame>> WalkPython(const bpf::python_process& process,
                                                          uint64_t thread_pointer,
                                                          agent::MemoryReader read,
                                                          size_t frames_max);

}  // namespace flarestack::record::runtime
