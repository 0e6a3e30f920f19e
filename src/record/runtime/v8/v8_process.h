// SPDX-License-Identifier: Apache-2.0
//
// What the BPF programs need to walk the frames of V8 in a process.
#pragma once

#include "absl/status/statusor.h"
#include "record/bpf/v8_process.h"
#include "record/runtime/v8/v8_file.h"

namespace flarestack::record::runtime {

// Offsets are the same in all processes of a file. Returns kInvalidArgument if one does not fit,
// kUnimplemented for a machine that is not known.
absl::StatusOr<bpf::v8_process> MakeV8Process(const V8File& file);

}  // namespace flarestack::record::runtime
