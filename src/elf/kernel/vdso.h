// SPDX-License-Identifier: Apache-2.0
//
// The vDSO: a small ELF file that the kernel puts into each process, for calls such as
// clock_gettime. All 64-bit processes of a machine have the same one, so our own tells its symbols
// and build id.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::elf {

// Of this process; lives as long as the process. kNotFound where there is none, as in some
// sandboxes.
absl::StatusOr<std::string_view> OwnVdsoBytes();

}  // namespace flarestack::elf
