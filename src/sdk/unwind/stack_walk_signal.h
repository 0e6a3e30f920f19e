// SPDX-License-Identifier: Apache-2.0
//
// Walks the stack of the calling thread. Async-signal-safe: no allocation, no lock, and memory that
// is not known to be readable is probed first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace flarestack::sdk {

struct Registers {
  uintptr_t pc = 0;
  uintptr_t sp = 0;
  uintptr_t fp = 0;
  uintptr_t lr = 0;  // arm64
};

// Why a walk ended.
enum class WalkEnd : uint8_t {
  kComplete,    // at the outermost frame
  kTooDeep,     // more frames than fit
  kUnreadable,  // the stack is damaged, or a rule is wrong
  kNoRule,      // no unwind rule and no frame pointer
};

struct Walk {
  size_t frame_count = 0;
  WalkEnd end = WalkEnd::kComplete;
};

// Registers of the interrupted code, from the context that a signal handler gets.
Registers RegistersOf(const void* signal_context);

// Registers of the caller of this function.
__attribute__((always_inline)) inline Registers RegistersHere() {
  Registers here;
#if defined(__x86_64__)
  __asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
                   : "=r"(here.pc), "=r"(here.sp), "=r"(here.fp));
#elif defined(__aarch64__)
  __asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29\n\tmov %3, x30"
                   : "=r"(here.pc), "=r"(here.sp), "=r"(here.fp), "=r"(here.lr));
#endif
  return here;
}

// Writes program counters, leaf first; those of callers are return addresses.
Walk WalkStack(Registers registers, std::span<uintptr_t> frames);

}  // namespace flarestack::sdk
