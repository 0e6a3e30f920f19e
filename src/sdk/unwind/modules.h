// SPDX-License-Identifier: Apache-2.0
//
// The program and its libraries, with unwind rows. A background thread replaces the snapshot when
// libraries are loaded or unloaded; signal handlers read it without locks.
//
//   ModuleReader reader;                       // pins the current snapshot
//   const Module* module = reader.Find(pc);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/unwind/unwind_row.h"

namespace flarestack::sdk {

inline constexpr std::string_view kVdsoPath = "[vdso]";

struct Module {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  uintptr_t bias = 0;  // run-time address minus address in the file
  std::vector<UnwindRow> rows;

  // For the mapping table.
  std::string path;
  std::string gnu_build_id;  // hexadecimal; empty: none
  uint64_t code_begin = 0;   // of the first executable segment, as in the file
  uint64_t code_end = 0;
  uint64_t code_offset = 0;
};

struct ModuleSnapshot {
  std::vector<std::shared_ptr<const Module>> modules;  // sorted by begin
  uint64_t loads = 0;                                  // dlpi_adds and dlpi_subs when it was made
  uint64_t unloads = 0;
};

// Makes or replaces the snapshot if libraries were loaded or unloaded since. Returns whether it
// did. Not for signal handlers. Thread-safe.
bool RefreshModules();

// All modules of the current snapshot. Not for signal handlers.
std::vector<std::shared_ptr<const Module>> CurrentModules();

// Keeps the current snapshot alive. Async-signal-safe. Short-lived: RefreshModules() waits for
// readers of the snapshot that it frees.
class ModuleReader {
 public:
  ModuleReader();
  ~ModuleReader();
  ModuleReader(const ModuleReader&) = delete;
  ModuleReader& operator=(const ModuleReader&) = delete;

  const Module* Find(uintptr_t pc) const;

 private:
  const ModuleSnapshot* snapshot_;
  unsigned parity_;
};

// Returns the row that applies at an address of the module; nullptr if none does.
// Async-signal-safe.
const UnwindRow* FindRow(const Module& module, uintptr_t pc);

// Around fork(): no other thread is in RefreshModules() while the process is copied.
void LockModulesForFork();
void UnlockModulesInParent();
void UnlockModulesInChild();

}  // namespace flarestack::sdk
