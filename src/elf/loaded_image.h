// SPDX-License-Identifier: Apache-2.0
//
// A program or library as loaded in the memory of a process: the exported symbols and relocations
// of its dynamic section. Read from that memory, so no file is needed. Anything the process does to
// its memory causes at worst an error.
//
//   FLARE_ASSIGN(const LoadedImage image, LoadedImage::Read(reader, start_of_mapping));
//   FLARE_ASSIGN(const std::optional<DynamicSymbol> symbol, image.FindSymbol(reader, "name"));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "elf/elf_file.h"

namespace flarestack::elf {

// Fills all of `out` from this address of the process, or returns an error.
using ImageReader = absl::FunctionRef<absl::Status(uint64_t address, std::span<char> out)>;

struct DynamicSymbol {
  uint32_t index = 0;
  uint8_t type = 0;    // STT_ of <elf.h>
  uint64_t value = 0;  // file address; for a thread-local variable, its offset in the block

  bool is_thread_local() const { return type == 6; }
};

// What the dynamic linker writes into a word to locate a thread-local variable.
enum class ThreadLocalSlot : uint8_t {
  kThreadOffset,  // the distance of the variable from the thread pointer
  kDescriptor,    // two words: a function, and its argument
  kModule,        // the module number; the next word is the offset in its block
};

struct ThreadLocalRelocation {
  ThreadLocalSlot slot = ThreadLocalSlot::kThreadOffset;
  uint64_t address = 0;  // of the word, in the process
  uint32_t symbol = 0;   // index; 0 if the linker knew that the variable is in this module
  int64_t addend = 0;
};

class LoadedImage {
 public:
  static constexpr size_t kSegmentsMax = 256;
  static constexpr uint64_t kRelocationsMax = 1 << 22;

  // `header_address` is where the start of the file is mapped. Returns kInvalidArgument if there is
  // no supported ELF file at that address, and kUnimplemented as ElfFile does.
  static absl::StatusOr<LoadedImage> Read(ImageReader read, uint64_t header_address);

  uint16_t machine() const { return machine_; }  // EM_ of <elf.h>
  uint64_t bias() const { return bias_; }        // process address - file address
  std::span<const Segment> segments() const { return segments_; }
  bool has_dynamic() const { return symbols_address_ != 0; }

  // The PT_TLS segment, or null.
  const Segment* thread_local_segment() const;

  // Finds a symbol defined in this image, by hash as the dynamic linker does.
  absl::StatusOr<std::optional<DynamicSymbol>> FindSymbol(ImageReader read,
                                                          std::string_view name) const;

  // True if the symbol with this index, defined here or elsewhere, has this name.
  absl::StatusOr<bool> IsNamed(ImageReader read, uint32_t symbol_index,
                               std::string_view name) const;

  // Returns all relocations for thread-local variables, or kResourceExhausted if there are more
  // than kRelocationsMax relocations of any kind.
  absl::StatusOr<std::vector<ThreadLocalRelocation>> ThreadLocalRelocations(ImageReader read) const;

 private:
  struct Table {
    uint64_t address = 0;
    uint64_t size_bytes = 0;
  };

  absl::Status ReadSegments(ImageReader read, uint64_t header_address);
  absl::Status ReadDynamic(ImageReader read);
  void TakeDynamic(int64_t tag, uint64_t value);
  uint64_t ToProcess(uint64_t pointer) const;
  absl::StatusOr<std::optional<DynamicSymbol>> FindByGnuHash(ImageReader read,
                                                             std::string_view name) const;
  absl::StatusOr<std::optional<DynamicSymbol>> FindByHash(ImageReader read,
                                                          std::string_view name) const;
  absl::StatusOr<std::optional<DynamicSymbol>> Match(ImageReader read, uint32_t index,
                                                     std::string_view name) const;
  absl::Status AppendRelocations(ImageReader read, const Table& table,
                                 std::vector<ThreadLocalRelocation>* out) const;

  uint16_t machine_ = 0;
  uint64_t bias_ = 0;
  std::vector<Segment> segments_;
  uint64_t symbols_address_ = 0;
  uint64_t names_address_ = 0;
  uint64_t gnu_hash_address_ = 0;
  uint64_t hash_address_ = 0;
  Table relocations_;
  Table plt_relocations_;
  uint64_t relative_count_ = 0;  // leading relocations without a symbol
};

}  // namespace flarestack::elf
