// SPDX-License-Identifier: Apache-2.0
//
// A small library as loaded in memory: one loaded segment, a dynamic section, one exported symbol
// "variable", one undefined symbol "elsewhere", and relocations. For machines other than the one
// that runs the test.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace flarestack::elf::testing {

struct ImageRelocation {
  uint32_t type = 0;
  uint64_t offset = 0;
  uint32_t symbol = 0;
  int64_t addend = 0;
};

struct LoadedImageBuilder {
  static constexpr uint64_t kWords = 0x800;  // space for words that relocations refer to
  static constexpr uint64_t kImageBytes = 0x1000;
  static constexpr uint32_t kVariableIndex = 1;
  static constexpr uint32_t kElsewhereIndex = 2;

  uint16_t machine = 62;
  std::string variable = "variable";
  uint8_t symbol_type = 6;  // thread-local
  uint64_t symbol_value = 0x18;
  uint64_t tls_address = 0x900;
  uint64_t tls_bytes = 0x20;
  uint64_t tls_alignment = 8;
  uint64_t pointer_bias = 0;  // added to pointers in the dynamic section, as glibc does
  std::vector<ImageRelocation> relocations;
  std::vector<std::pair<uint64_t, uint64_t>> words;  // offset in the image, value

  std::string Build() const;
};

// Memory that contains only an image at an address.
class ImageMemory {
 public:
  ImageMemory(uint64_t address, std::string bytes) : address_(address), bytes_(std::move(bytes)) {}

  absl::Status Read(uint64_t address, std::span<char> out) const;

 private:
  uint64_t address_;
  std::string bytes_;
};

}  // namespace flarestack::elf::testing
