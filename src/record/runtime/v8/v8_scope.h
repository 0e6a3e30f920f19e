// SPDX-License-Identifier: Apache-2.0
//
// The names and positions of a function in its ScopeInfo, an object with optional words.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "record/runtime/v8/v8_heap.h"

namespace flarestack::record::runtime {

struct V8Scope {
  std::string name;
  std::string inferred_name;  // from what the function was assigned to
  int32_t start_offset = -1;  // in the script; -1 if unknown
};

absl::StatusOr<V8Scope> ReadV8Scope(const V8Heap& heap, uint64_t scope_info);

}  // namespace flarestack::record::runtime
