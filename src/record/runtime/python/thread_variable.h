// SPDX-License-Identifier: Apache-2.0
//
// Finds a thread-local variable without a symbol: through the code of a function that returns it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flarestack::record::runtime {

// How code reaches a thread-local variable of its own file.
struct ThreadVariable {
  enum class Kind : uint8_t {
    kOffset,      // at thread pointer + `offset`
    kWord,        // the dynamic linker writes that distance at `address`
    kModulePair,  // it writes {module number, offset in the module's block} at `address`
    kDescriptor,  // it writes {function, argument} at `address`
  };
  Kind kind = Kind::kOffset;
  uint64_t address = 0;  // virtual address of the file
  int64_t offset = 0;    // of the variable; added to what the dynamic linker writes

  friend bool operator==(const ThreadVariable&, const ThreadVariable&) = default;
};

// `code` begins at `address`, with a function that does nothing but return a thread-local pointer.
// Knows the code that GCC and clang generate for each of the ELF models of thread-local storage.
std::optional<ThreadVariable> FindReturnedVariable(uint16_t elf_machine, std::string_view code,
                                                   uint64_t address);

}  // namespace flarestack::record::runtime
