// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/testing/thread_registers.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace flarestack::record::unwind::testing {

std::optional<bpf::unwind_registers> ReadRegisters(pid_t tid) {
  user_regs_struct saved = {};
  iovec buffer = {.iov_base = &saved, .iov_len = sizeof(saved)};
  if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &buffer) != 0)
    return std::nullopt;
  bpf::unwind_registers registers = {};
#if defined(__x86_64__)
  const uint64_t ordered[] = {saved.rax, saved.rdx, saved.rcx, saved.rbx, saved.rsi, saved.rdi,
                              saved.rbp, saved.rsp, saved.r8,  saved.r9,  saved.r10, saved.r11,
                              saved.r12, saved.r13, saved.r14, saved.r15};
  std::copy(std::begin(ordered), std::end(ordered), registers.regs);
  registers.pc = saved.rip;
#else
  std::copy(std::begin(saved.regs), std::end(saved.regs), registers.regs);
  registers.regs[bpf::ARM64_REG_SP] = saved.sp;
  registers.pc = saved.pc;
#endif
  registers.has_all = 1;
  return registers;
}

}  // namespace flarestack::record::unwind::testing
