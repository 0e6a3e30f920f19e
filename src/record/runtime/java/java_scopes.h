// SPDX-License-Identifier: Apache-2.0
//
// What a position in compiled code stands for: the method, and those inlined into it.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/java/java_process.h"

namespace flarestack::record::runtime {

inline constexpr size_t kJavaScopesMax = 128;

struct JavaScope {
  static constexpr int32_t kNoBci = -1;

  uint64_t method = 0;  // address of the Method
  int32_t bci = kNoBci;

  friend bool operator==(const JavaScope&, const JavaScope&) = default;
};

struct CompiledPosition {
  uint64_t nmethod = 0;
  uint32_t compile_id = 0;
  uint32_t offset = 0;  // from the begin of the code
  bool is_return_address = false;
};

// Innermost first; the last is the compiled method itself. Only that one, without a bytecode index,
// if nothing is recorded about the position: in native methods and in deoptimized frames. Returns
// kNotFound if another method has been compiled to that place meanwhile.
absl::StatusOr<std::vector<JavaScope>> ReadJavaScopes(const JavaProcess& process,
                                                      agent::MemoryReader read,
                                                      const CompiledPosition& position);

}  // namespace flarestack::record::runtime
