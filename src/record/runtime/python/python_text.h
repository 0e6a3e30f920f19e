// SPDX-License-Identifier: Apache-2.0
//
// Reads str and bytes objects of CPython from the memory of a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/python/python_layout.h"

namespace flarestack::record::runtime {

inline constexpr size_t kPythonTextCharactersMax = 1024;

// Converts to UTF-8. Longer strings are truncated after kPythonTextCharactersMax characters.
// Returns kNotFound if the object is not a compact str: all names of code objects are.
absl::StatusOr<std::string> ReadPythonText(const PythonLayout& layout, uint64_t address,
                                           agent::MemoryReader read);

// Returns kResourceExhausted if the object has more bytes than `bytes_max`.
absl::StatusOr<std::string> ReadPythonBytes(const PythonLayout& layout, uint64_t address,
                                            size_t bytes_max, agent::MemoryReader read);

}  // namespace flarestack::record::runtime
