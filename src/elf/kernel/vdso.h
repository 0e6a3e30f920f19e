// SPDX-License-Identifier: Apache-2.0
//
// The vDSO: a small ELF file that the kernel maps into each process, for calls such as
// clock_gettime. All 64-bit processes of a machine have the same one, so our own provides its
// symbols and build id.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::elf {

// The vDSO of this process, valid for its lifetime. Returns kNotFound if there is none, as in some
// sandboxes.
absl::StatusOr<std::string_view> OwnVdsoBytes();

}  // namespace flarestack::elf
