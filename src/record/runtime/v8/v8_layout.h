// SPDX-License-Identifier: Apache-2.0
//
// The constants of V8 by version, and those that its debugger symbols (v8dbg_...) define.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "record/runtime/v8/v8_file.h"

namespace flarestack::record::runtime {

// By name, without "v8dbg_".
using V8Constants = absl::flat_hash_map<std::string_view, int32_t>;

// Returns kUnimplemented for an unknown version, kInvalidArgument if a constant that only the
// symbols define is missing or out of range.
absl::StatusOr<V8Layout> MakeV8Layout(const V8Version& version, const V8Constants& constants);

}  // namespace flarestack::record::runtime
