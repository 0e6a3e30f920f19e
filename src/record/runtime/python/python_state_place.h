// SPDX-License-Identifier: Apache-2.0
//
// Finds where each thread of a process keeps the pointer to its PyThreadState: a pthread key up to
// 3.14, a thread-local variable in 3.15. Every result is checked with the interpreter's own list of
// threads, which has both sides: the PyThreadState, and pthread_self().
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/python/python_file.h"
#include "record/runtime/python/python_layout.h"

namespace flarestack::record::runtime {

struct PythonThread;

// Facts about the C library of a process.
struct ThreadLibrary {
  bool is_musl = false;
  int64_t thread_pointer_offset = 0;  // thread pointer - pthread_self()
  // glibc: where a thread descriptor has the pointers to its blocks of 32 keys; 0 if unknown.
  uint32_t specific_offset = 0;
};

// As in struct python_process.
struct PythonStatePlace {
  uint8_t levels = 0;
  std::array<int32_t, bpf::PYTHON_LEVELS_MAX + 1> offsets = {};
};

struct PythonStateSearch {
  const PythonFile& file;
  const PythonLayout& layout;
  std::span<const PythonThread> threads;
  ThreadLibrary library;
  uint64_t bias = 0;
};

// glibc describes its thread descriptor to debuggers with exported variables. Unknown facts stay 0.
ThreadLibrary FindThreadLibrary(pid_t pid, uint16_t elf_machine, agent::MemoryReader read);

// Returns kUnavailable if no thread in the list has its state at the place found.
absl::StatusOr<PythonStatePlace> FindStatePlace(const PythonStateSearch& search,
                                                agent::MemoryReader read);

}  // namespace flarestack::record::runtime
