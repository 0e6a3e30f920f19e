// SPDX-License-Identifier: Apache-2.0
//
// /proc/modules: the loaded kernel modules and their addresses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::elf {

struct KernelModule {
  std::string name;
  uint64_t address = 0;
  uint64_t size_bytes = 0;

  friend bool operator==(const KernelModule&, const KernelModule&) = default;
};

// Sorted by address. Returns kPermissionDenied if the kernel hides the addresses from us,
// kInvalidArgument with the number of a malformed line, and kResourceExhausted above `modules_max`.
absl::StatusOr<std::vector<KernelModule>> ParseKernelModules(std::string_view text,
                                                             size_t modules_max = 1 << 16);

}  // namespace flarestack::elf
