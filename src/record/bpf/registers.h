// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// The user-space registers of a thread when it entered the kernel.
#pragma once

#include "record/bpf/walk.h"

enum {
  TASK_IS_EXITING = 0x00000004,  // its memory may already be gone
  TASK_IS_KERNEL_THREAD = 0x00200000,
};

// Returns whether a tick interrupted user space. The context of the program begins with the
// registers in ptrace order, which is a stable ABI.
static __always_inline bool is_user_interrupted(const u64* context) {
#if defined(__TARGET_ARCH_x86)
  return (context[17] & 3) == 3;  // cs
#else
  return (context[33] & 0xf) == 0;  // pstate
#endif
}

// Returns the number of events a sample stands for: the word after the registers.
static __always_inline u64 sample_period(const u64* context) {
#if defined(__TARGET_ARCH_x86)
  return context[21];
#else
  return context[34];
#endif
}

static __always_inline bool is_in_system_call(const struct pt_regs* saved) {
#if defined(__TARGET_ARCH_x86)
  return (s64)saved->orig_ax >= 0;
#else
  return saved->syscallno >= 0;
#endif
}

// The number of the system call that the thread is in.
static __always_inline s64 system_call_number(const struct pt_regs* saved) {
#if defined(__TARGET_ARCH_x86)
  return (s64)saved->orig_ax;
#else
  return saved->syscallno;
#endif
}

static __always_inline bool is_lock_call(s64 number) {
#if defined(__TARGET_ARCH_x86)
  return number == 202 || number == 449;  // futex, futex_waitv
#else
  return number == 98 || number == 449;
#endif
}

static __always_inline u64 thread_pointer(struct task_struct* task) {
#if defined(__TARGET_ARCH_x86)
  return task->thread.fsbase;
#else
  return task->thread.uw.tp_value;
#endif
}

// Returns UNWIND_MORE if the registers are available.
static __always_inline int read_user_registers(struct task_struct* task,
                                               struct unwind_registers* frame) {
  const struct pt_regs* saved;
  if (task->flags & (TASK_IS_KERNEL_THREAD | TASK_IS_EXITING))
    return UNWIND_NO_USER_STACK;
  // During execve(2), after the memory of the old program is gone and before that of the new one is
  // complete, the registers belong to the old program.
  if (task->mm->start_code == 0)
    return UNWIND_EXEC;
  saved = (const struct pt_regs*)bpf_task_pt_regs(task);
#if defined(__TARGET_ARCH_x86)
  if (saved->cs == 0x23)
    return UNWIND_COMPAT;  // __USER32_CS
  frame->pc = saved->ip;
  frame->regs[0] = saved->ax;
  frame->regs[1] = saved->dx;
  frame->regs[2] = saved->cx;
  frame->regs[3] = saved->bx;
  frame->regs[4] = saved->si;
  frame->regs[5] = saved->di;
  frame->regs[6] = saved->bp;
  frame->regs[7] = saved->sp;
  frame->regs[8] = saved->r8;
  frame->regs[9] = saved->r9;
  frame->regs[10] = saved->r10;
  frame->regs[11] = saved->r11;
  frame->regs[12] = saved->r12;
  frame->regs[13] = saved->r13;
  frame->regs[14] = saved->r14;
  frame->regs[15] = saved->r15;
#else
  if (saved->pstate & 0x10)
    return UNWIND_COMPAT;  // PSR_MODE32_BIT
  frame->pc = saved->pc;
#pragma unroll
  for (int i = 0; i < 31; ++i)
    frame->regs[i] = saved->regs[i];
  frame->regs[REG_SP] = saved->sp;
#endif
  frame->is_return_address = 0;
  frame->has_all = 1;
  frame->is_chained = 0;
  return unwind_is_code_address(frame->pc) ? UNWIND_MORE : UNWIND_BAD_PC;
}
