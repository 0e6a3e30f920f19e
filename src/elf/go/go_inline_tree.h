// SPDX-License-Identifier: Apache-2.0
//
// The calls that were inlined into one function. Each contains the inlined function and an address
// in its caller, from which file, line and the next outer call are looked up.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "elf/go/go_pclntab_layout.h"

namespace flarestack::elf {

struct GoInlinedCall {
  uint32_t name_offset = 0;
  uint64_t parent_offset = 0;  // from the entry of the function
  uint32_t start_line = 0;     // 0 before 1.20
};

class GoInlineTree {
 public:
  GoInlineTree() = default;

  // `bytes` begin with the tree. Its end is unknown, so there may be more bytes than it has.
  GoInlineTree(GoTableVersion version, std::string_view bytes) : version_(version), bytes_(bytes) {}

  // Returns nullopt for -1, which is the function itself, and outside the bytes.
  std::optional<GoInlinedCall> Call(int64_t index) const;

 private:
  GoTableVersion version_ = GoTableVersion::kGo12;
  std::string_view bytes_;
};

}  // namespace flarestack::elf
