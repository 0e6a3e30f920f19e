// SPDX-License-Identifier: Apache-2.0
//
// Recognizes a CPython interpreter by the symbols of its ELF file: a program such as
// /usr/bin/python3, a libpython3.x.so, or any program that has CPython linked in and exports its
// API, as extension modules require.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"
#include "elf/symbol_ranges.h"
#include "record/runtime/python/thread_variable.h"

namespace flarestack::record::runtime {

// All addresses are virtual addresses of the file; 0 if unknown.
struct PythonFile {
  int minor = 0;        // 3.minor
  std::string version;  // "3.11.2"; "3.10" before 3.11, which has no variable for it
  uint16_t machine = 0;
  uint64_t runtime_address = 0;
  uint64_t runtime_bytes = 0;
  uint64_t code_type_address = 0;
  uint64_t text_type_address = 0;
  // The interpreter loop, sorted. Each native frame in it stands for one or more Python frames.
  std::vector<elf::AddressRange> loops;
  // Since 3.14, where built with tail calls: functions for single instructions, which the loop
  // calls. Their native frames belong to the frame of the loop that called them. Sorted.
  std::vector<elf::AddressRange> handlers;
  // 3.15: the variable with the state of a thread. Earlier versions use a pthread key.
  std::optional<ThreadVariable> state;
};

// Returns kNotFound if the file is not a CPython, and kUnimplemented, with the version, if it is
// one that is not supported.
absl::StatusOr<PythonFile> ReadPythonFile(const elf::ElfFile& file);

}  // namespace flarestack::record::runtime
