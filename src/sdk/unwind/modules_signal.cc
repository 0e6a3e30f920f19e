// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sdk/unwind/module_readers.h"
#include "sdk/unwind/modules.h"

namespace flarestack::sdk {

constinit ModuleReaders g_modules;

ModuleReader::ModuleReader() {
  // If the generation changes between the two steps, the writer may not wait for this reader: try
  // again.
  for (;;) {
    const unsigned generation = g_modules.generation.load(std::memory_order_seq_cst);
    parity_ = generation & 1;
    g_modules.readers[parity_].fetch_add(1, std::memory_order_seq_cst);
    if (g_modules.generation.load(std::memory_order_seq_cst) == generation)
      break;
    g_modules.readers[parity_].fetch_sub(1, std::memory_order_release);
  }
  snapshot_ = g_modules.current.load(std::memory_order_seq_cst);
}

ModuleReader::~ModuleReader() {
  g_modules.readers[parity_].fetch_sub(1, std::memory_order_release);
}

const Module* ModuleReader::Find(uintptr_t pc) const {
  if (snapshot_ == nullptr)
    return nullptr;
  const auto& modules = snapshot_->modules;
  auto next = std::upper_bound(modules.begin(), modules.end(), pc,
                               [](uintptr_t at, const auto& module) { return at < module->begin; });
  if (next == modules.begin())
    return nullptr;
  const Module* const module = std::prev(next)->get();
  return pc < module->end ? module : nullptr;
}

const UnwindRow* FindRow(const Module& module, uintptr_t pc) {
  const uintptr_t offset = pc - module.begin;
  auto next = std::upper_bound(module.rows.begin(), module.rows.end(), offset,
                               [](uintptr_t at, const UnwindRow& row) { return at < row.offset; });
  if (next == module.rows.begin())
    return nullptr;
  const UnwindRow& row = *std::prev(next);
  return row.cfa == CfaRule::kNone ? nullptr : &row;
}

}  // namespace flarestack::sdk
