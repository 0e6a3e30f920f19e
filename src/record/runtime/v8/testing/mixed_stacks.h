// SPDX-License-Identifier: Apache-2.0
//
// Walks stacks of native code and V8 in a stopped process, as the recorder does.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/file/mapped_file.h"
#include "elf/address_map.h"
#include "elf/elf_symbols.h"
#include "record/process/proc/process_maps.h"
#include "record/runtime/v8/v8_file.h"
#include "record/runtime/v8/v8_walk.h"
#include "record/unwind/unwind_table.h"

namespace flarestack::record::runtime::testing {

struct MixedFrame {
  bool is_v8 = false;
  uint64_t pc = 0;
  V8Words words;       // if V8
  std::string symbol;  // if native; may be empty
};

struct MixedStack {
  bpf::unwind_end end = bpf::UNWIND_MORE;
  std::vector<MixedFrame> frames;  // leaf first

  bool IsComplete() const { return end == bpf::UNWIND_COMPLETE; }
};

class MixedStacks {
 public:
  // Reads the mappings and the file with V8 of a process.
  static absl::StatusOr<std::unique_ptr<MixedStacks>> Of(pid_t pid);

  const V8File& v8() const { return v8_; }
  pid_t pid() const { return pid_; }
  // The address in the file of V8, if one of its mappings contains it.
  std::optional<uint64_t> AddressInV8(uint64_t address) const;
  MixedStack Walk(const bpf::unwind_registers& registers);
  // Reads the mappings again, after code was generated.
  absl::Status Refresh();

 private:
  struct File {
    std::string path;
    base::MappedFile bytes;
    std::optional<unwind::UnwindTable> table;
    elf::AddressMap addresses;
    std::vector<elf::ElfSymbol> symbols;
    bool has_v8 = false;
  };

  struct Place {
    File* file = nullptr;                            // null: code that V8 has generated
    std::optional<uint64_t> address = std::nullopt;  // in the file
  };
  class Code;

  explicit MixedStacks(pid_t pid) : pid_(pid) {}
  bool IsBuiltin(uint64_t address) const;
  Place PlaceOf(uint64_t address);
  File* FileOf(const std::string& path);
  const agent::ProcessMapping* FindMapping(uint64_t address) const;
  std::optional<uint64_t> AddressInFile(const agent::ProcessMapping& mapping, const File& file,
                                        uint64_t address) const;

  pid_t pid_;
  V8File v8_;
  bpf::v8_process process_ = {};
  std::vector<agent::ProcessMapping> mappings_;
  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace flarestack::record::runtime::testing
