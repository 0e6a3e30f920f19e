// SPDX-License-Identifier: Apache-2.0
//
// Includes the steps that are shared with BPF, and defines how they read memory in user space:
// their `memory` is an unwind::Memory*.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "record/unwind/stack_walk.h"

namespace flarestack::record::unwind {

inline int ReadStepStack(void* memory, void* target, size_t size, uint64_t address) {
  const std::span<std::byte> bytes(static_cast<std::byte*>(target), size);
  return static_cast<Memory*>(memory)->Read(address, bytes) ? 0 : -1;
}

inline int ReadStepData(void* memory, void* target, size_t size, uint64_t address) {
  const std::span<std::byte> bytes(static_cast<std::byte*>(target), size);
  return static_cast<Memory*>(memory)->ReadCode(address, bytes) ? 0 : -1;
}

}  // namespace flarestack::record::unwind

#define UNWIND_READ(memory, target, size, address) \
  ::flarestack::record::unwind::ReadStepStack(memory, target, size, address)
#define UNWIND_READ_CODE(memory, target, size, address) \
  ::flarestack::record::unwind::ReadStepData(memory, target, size, address)
#define UNWIND_READ_DATA(memory, target, size, address) \
  ::flarestack::record::unwind::ReadStepData(memory, target, size, address)
#include "record/bpf/unwind_step.h"
