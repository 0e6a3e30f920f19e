// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// The few kernel types that our programs access, with the few fields they read. Field offsets are
// relocated when the programs are loaded, based on the BTF of the running kernel, so neither order
// nor missing fields matter here.
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u16 __sum16;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef _Bool bool;
#define true 1
#define false 0
#define offsetof(type, member) __builtin_offsetof(type, member)

enum bpf_map_type {
  BPF_MAP_TYPE_HASH = 1,
  BPF_MAP_TYPE_ARRAY = 2,
  BPF_MAP_TYPE_PROG_ARRAY = 3,
  BPF_MAP_TYPE_PERCPU_ARRAY = 6,
  BPF_MAP_TYPE_LRU_HASH = 9,
  BPF_MAP_TYPE_RINGBUF = 27,
  BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
  BPF_ANY = 0,
  BPF_F_NO_PREALLOC = 1,
  BPF_F_MMAPABLE = 1 << 10,
  BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
  BPF_RB_NO_WAKEUP = 1,
  BPF_RB_FORCE_WAKEUP = 2,
  BPF_RB_AVAIL_DATA = 0,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
  unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip;
  u16 cs;
  unsigned long flags, sp;
};
struct thread_struct {
  unsigned long fsbase;
};
#else
struct pt_regs {
  u64 regs[31];
  u64 sp;
  u64 pc;
  u64 pstate;
  s32 syscallno;
};
struct thread_struct {
  struct {
    unsigned long tp_value;
  } uw;
};
#endif

struct mm_struct {
  unsigned long start_code;
};

struct sched_entity {
  u64 sum_exec_runtime;
  u64 prev_sum_exec_runtime;
};

struct task_struct {
  s32 pid;
  s32 tgid;
  unsigned int flags;
  unsigned int __state;
  u64 start_boottime;
  char comm[16];
  struct task_struct* group_leader;
  struct mm_struct* mm;
  struct sched_entity se;
  struct thread_struct thread;
};

#pragma clang attribute pop
