// SPDX-License-Identifier: Apache-2.0
//
// The memory of a Go program as described by its file. In position-independent programs, pointers
// are stored in relocations and only sometimes in place.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"
#include "elf/go/go_limits.h"

namespace flarestack::elf {

class GoImage {
 public:
  // Reads the relocations. Returns kResourceExhausted if there are too many. The file must outlive
  // the result.
  static absl::StatusOr<GoImage> Open(const ElfFile& file, const GoLimits& limits);

  const ElfFile& file() const { return *file_; }

  // The bytes from an address to the end of its segment; empty if there are none.
  std::string_view BytesAt(uint64_t address) const { return file_->BytesFromAddress(address); }

  // Returns nullopt outside the image.
  std::optional<uint64_t> PointerAt(uint64_t address) const;

  // Returns the places that contain `pointer`, those with a relocation first; at most 64.
  std::vector<uint64_t> PlacesOf(uint64_t pointer, const GoLimits& limits) const;

 private:
  explicit GoImage(const ElfFile& file) : file_(&file) {}

  absl::Status ReadRelocations(std::string_view table, const GoLimits& limits);

  const ElfFile* file_;
  std::vector<std::pair<uint64_t, uint64_t>> relocations_;  // place and pointer, sorted
};

}  // namespace flarestack::elf
