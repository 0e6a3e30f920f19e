// SPDX-License-Identifier: Apache-2.0
//
// The BPF maps as plain memory, for tests of the code that fills them.
#pragma once

#include <cstdint>
#include <vector>

#include "record/kernel/kernel_side.h"

namespace flarestack::record::agent::testing {

struct MemoryTablesSizes {
  uint32_t row_chunks = 32;
  uint32_t pages = 4096;
  uint32_t files = 256;
};

class MemoryTables {
 public:
  explicit MemoryTables(const MemoryTablesSizes& sizes = {})
      : rows_(size_t{sizes.row_chunks} * bpf::ROWS_PER_CHUNK),
        pages_(sizes.pages),
        files_(sizes.files),
        rules_(bpf::RULES_MAX),
        mappings_(bpf::MAPPINGS_PER_CHUNK) {}

  KernelTables tables() {
    return {
        .rows = rows_, .pages = pages_, .files = files_, .rules = rules_, .mappings = mappings_};
  }

 private:
  std::vector<bpf::unwind_row> rows_;
  std::vector<bpf::code_page> pages_;
  std::vector<bpf::code_file> files_;
  std::vector<bpf::unwind_rule> rules_;
  std::vector<bpf::code_mapping> mappings_;
};

}  // namespace flarestack::record::agent::testing
