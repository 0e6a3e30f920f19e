// SPDX-License-Identifier: Apache-2.0
//
// Where the runtime of a Go program keeps what describes the running goroutine, so that another
// process can read it:
//
//   thread --GoThreadPlace--> g --g_m--> m --m_curg--> goroutine --> id, labels
//
// Nothing but the program itself is needed: it may be stripped.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"
#include "elf/go/go_limits.h"

namespace flarestack::elf {

// Offsets in the structures of the runtime. They are the same on all 64-bit machines.
struct GoFields {
  uint16_t g_m = 0;
  uint16_t g_goid = 0;
  uint16_t g_labels = 0;
  uint16_t m_curg = 0;
  bool has_label_list = false;  // since 1.24: a sorted list; before: a map

  friend bool operator==(const GoFields&, const GoFields&) = default;
};

// Returns nullopt for versions that we have not compared with their toolchain. A wrong offset would
// give wrong labels, so there is no guess for newer ones.
std::optional<GoFields> GoFieldsOf(std::string_view version);

// Where a thread keeps its pointer to g.
struct GoThreadPlace {
  enum class Kind : uint8_t {
    kThreadOffset,  // at thread pointer + offset
    kRegister,      // arm64 without cgo: x28
  };
  Kind kind = Kind::kThreadOffset;
  int64_t offset = 0;

  friend bool operator==(const GoThreadPlace&, const GoThreadPlace&) = default;
};

// Reads the place from the instructions of the runtime that load g. Returns kNotFound if the
// program does not have them, kUnimplemented if the place of g is known only at load time, as in
// shared libraries.
absl::StatusOr<GoThreadPlace> FindGoThreadPlace(const ElfFile& file, const GoLimits& limits);

struct GoRuntime {
  GoFields fields;
  GoThreadPlace place;
};

// Returns kNotFound if the file is not a Go program, kUnimplemented if its version is not known.
absl::StatusOr<GoRuntime> FindGoRuntime(const ElfFile& file);

}  // namespace flarestack::elf
