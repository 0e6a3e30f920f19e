// SPDX-License-Identifier: Apache-2.0
//
// A file that contains the runtime of a language, such as an interpreter.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"
#include "elf/symbol_ranges.h"

namespace flarestack::record::agent {

class RuntimeFile {
 public:
  virtual ~RuntimeFile() = default;

  // Code that runs frames of the language: after its native frame, BPF looks for them.
  std::vector<elf::AddressRange> loops;
  // Functions that a loop calls to execute parts of such a frame.
  std::vector<elf::AddressRange> handlers;
  // Code that was generated when the file was built, like that which the runtime generates later.
  // No unwind tables describe it.
  std::vector<elf::AddressRange> generated;
};

// Recognizes a runtime by the content of a file. Returns kNotFound if the file has none, and
// kUnimplemented if it has one that is not supported.
using RuntimeFinder =
    std::function<absl::StatusOr<std::shared_ptr<const RuntimeFile>>(const elf::ElfFile&)>;

}  // namespace flarestack::record::agent
