// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// The BPF programs. on_cpu runs at each tick of a CPU's clock, off_cpu when a thread leaves its
// CPU; both record the stack of the thread that was running.
#include "record/bpf/tables.h"
// These need the kernel types above.
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "record/bpf/goroutine.h"
#include "record/bpf/registers.h"
#include "record/bpf/send.h"
#include "record/bpf/thread_context.h"
#include "record/bpf/walk.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum {
  FRAMES_PER_CALL = 16,  // without bpf_loop; up to 33 tail calls may follow
  TASK_WAITS_UNINTERRUPTIBLE = 2,
  TASK_IS_DEAD = 0x80,  // the thread will never run again
  CHANCE_ONE = 65536,
  WAIT_AVERAGE_SHIFT = 3,
  START_TICK_NS = 10000000,  // the unit in which /proc reports start times
};

// Slot 0 continues native unwinding; the others are for interpreters.
enum program_slot { SLOT_WALK = 0, SLOT_COUNT = 16 };

#define PROGRAM_ARRAY(name)                \
  struct {                                 \
    __uint(type, BPF_MAP_TYPE_PROG_ARRAY); \
    __uint(max_entries, SLOT_COUNT);       \
    __type(key, u32);                      \
    __type(value, u32);                    \
  } name SEC(".maps")

PROGRAM_ARRAY(on_cpu_programs);
PROGRAM_ARRAY(off_cpu_programs);

// ---- Shared by all programs --------------------------------------------------------------------

static __always_inline bool is_chosen(u32 tgid, u32 tid) {
  if (fixed.choices == CHOOSE_ALL)
    return true;
  if ((fixed.choices & CHOOSE_THREADS) && bpf_map_lookup_elem(&chosen_threads, &tid))
    return true;
  if ((fixed.choices & CHOOSE_PROCESSES) && bpf_map_lookup_elem(&chosen_processes, &tgid)) {
    return true;
  }
  if (fixed.choices & CHOOSE_CGROUPS) {
    const u64 id = bpf_get_current_cgroup_id();
    if (bpf_map_lookup_elem(&chosen_cgroups, &id))
      return true;
  }
  if (fixed.choices & CHOOSE_USERS) {
    const u32 id = (u32)bpf_get_current_uid_gid();
    if (bpf_map_lookup_elem(&chosen_users, &id))
      return true;
  }
  if (fixed.choices & CHOOSE_COMMANDS) {
    struct command_name name = {};
    bpf_get_current_comm(name.text, sizeof(name.text));
    if (bpf_map_lookup_elem(&chosen_commands, &name))
      return true;
  }
  return false;
}

static __always_inline bool is_on_chosen_processor(void) {
  const u32 processor = bpf_get_smp_processor_id();
  return !fixed.chooses_processors || bpf_map_lookup_elem(&chosen_processors, &processor);
}

static __always_inline struct walk_state* begin_trace(void* context, struct task_struct* task,
                                                      u32 level, u64 now) {
  // A copy: `level` must stay a constant, so that a program for waits has no code that reads the
  // registers of a tick. Verifiers before 6.x do not track 32-bit values through the stack.
  const u32 key = level;
  struct walk_state* walk = bpf_map_lookup_elem(&walk_states, &key);
  struct trace_message* trace;
  const u64 ids = bpf_get_current_pid_tgid();
  long bytes;
  if (!walk)
    return 0;
  trace = &walk->trace;
  trace->head.kind = MESSAGE_TRACE;
  trace->head.tid = (u32)ids;
  trace->head.time_ns = now;
  trace->tgid = ids >> 32;
  trace->start_time_ns = task->group_leader->start_boottime;
  trace->cgroup_id = bpf_get_current_cgroup_id();
  trace->cpu = bpf_get_smp_processor_id();
  trace->probability = CHANCE_ONE;
  trace->origin = level == LEVEL_ON_CPU ? ORIGIN_ON_CPU : ORIGIN_OFF_CPU;
  trace->wait = 0;
  trace->event_count = 0;
  trace->flags = 0;
  trace->kernel_count = 0;
  trace->user_count = 0;
  trace->omitted_count = 0;
  bpf_probe_read_kernel(trace->comm, sizeof(trace->comm), task->comm);
  // bpf_get_stack clears the whole buffer even if there are no frames, so skip it when possible.
  if (level == LEVEL_OFF_CPU || !is_user_interrupted(context)) {
    bytes = bpf_get_stack(context, trace->frames, KERNEL_FRAMES_MAX * sizeof(u64), 0);
    if (bytes > 0)
      trace->kernel_count = bytes / sizeof(u64);
  }
  return walk;
}

// Sets the registers and tables at which unwinding starts. Returns UNWIND_MORE if it can start.
static __always_inline u32 begin_walk(struct walk_state* walk, struct task_struct* task) {
  const struct process_tables* process;
  walk->mapping.start = 0;
  walk->mapping.end = 0;
  walk->window.address = 0;
  walk->process.context.kind = CONTEXT_NONE;
  walk->process.version = 0;
  walk->language.state = LANGUAGE_UNKNOWN;
  walk->language.thread_pointer = thread_pointer(task);
  walk->content = fixed.content_key;
  walk->end = read_user_registers(task, &walk->frame);
  if (walk->end != UNWIND_MORE)
    return walk->end;
  process = bpf_map_lookup_elem(&processes, &walk->trace.tgid);
  if (!process || walk->trace.start_time_ns - process->start_time_ns >= START_TICK_NS) {
    walk->mapping.file = NO_FILE;
    request(MESSAGE_NEED_PROCESS, walk, 0);
    return walk->end = UNWIND_UNKNOWN_PROCESS;
  }
  walk->process = *process;
  read_thread_context(task, walk);
  if (walk->process.flags & PROCESS_IS_GO)
    read_goroutine(walk);
  return UNWIND_MORE;
}

struct loop_context {
  struct walk_state* walk;
  struct step_cache* cache;
};

static long walk_one(u32 index, struct loop_context* loop) {
  return walk_frame(loop->walk, loop->cache) != UNWIND_MORE;
}

static __always_inline void walk_in_loop(struct walk_state* walk, u32 level) {
  struct loop_context loop = {.walk = walk, .cache = bpf_map_lookup_elem(&step_caches, &level)};
  if (loop.cache)
    bpf_loop(USER_FRAMES_WALKED_MAX + 1, walk_one, &loop, 0);
}

// If there is more to unwind, continues in another program, which then sends the trace.
static __always_inline void walk_elsewhere(void* context, struct walk_state* walk, void* programs) {
  if (walk->end != UNWIND_MORE)
    return;
  bpf_tail_call(context, programs, SLOT_WALK);
  walk->end = UNWIND_TOO_DEEP;
}

// Without bpf_loop, all frames are unwound in another program: after the code above, the verifier
// would follow each of them many times.
static __always_inline void walk_and_send(void* context, struct walk_state* walk, u32 level,
                                          void* programs) {
  if (!fixed.has_loop)
    walk_elsewhere(context, walk, programs);
  else if (walk->end == UNWIND_MORE)
    walk_in_loop(walk, level);
  send_trace(walk);
}

static __always_inline void walk_some_and_send(void* context, u32 level, void* programs) {
  struct walk_state* walk = bpf_map_lookup_elem(&walk_states, &level);
  struct step_cache* cache = bpf_map_lookup_elem(&step_caches, &level);
  if (!walk || !cache)
    return;
  for (int i = 0; i < FRAMES_PER_CALL; ++i) {
    if (walk_frame(walk, cache) != UNWIND_MORE)
      break;
  }
  walk_elsewhere(context, walk, programs);
  send_trace(walk);
}

// ---- On-CPU ------------------------------------------------------------------------------------

// Attached to the clocks with cookie 0, and to counted events with their index in the recorder's
// list plus one.
SEC("perf_event")
int on_cpu(void* context) {
  struct task_struct* task = bpf_get_current_task_btf();
  const u64 cookie = bpf_get_attach_cookie(context);
  struct walk_state* walk;
  if (task->pid == 0 || !is_chosen(task->tgid, task->pid))
    return 0;
  walk = begin_trace(context, task, LEVEL_ON_CPU, bpf_ktime_get_ns());
  if (!walk)
    return 0;
  count(COUNTER_SAMPLES);
  if (cookie != 0) {
    const u64 events = sample_period(context);
    walk->trace.origin = ORIGIN_COUNTED;
    walk->trace.wait = cookie - 1;
    walk->trace.event_count = events > 0xffffffff ? 0xffffffff : events;
  }
  begin_walk(walk, task);
  walk_and_send(context, walk, LEVEL_ON_CPU, &on_cpu_programs);
  return 0;
}

SEC("perf_event")
int on_cpu_walk(void* context) {
  walk_some_and_send(context, LEVEL_ON_CPU, &on_cpu_programs);
  return 0;
}

// ---- Off-CPU -----------------------------------------------------------------------------------

// The state of a thread: since when it waits, whether the wait is recorded, and how long its waits
// were.
struct thread_wait {
  u64 out_ns;          // 0: running
  u64 wake_ns;         // 0: not woken yet
  u64 expected_ns[4];  // by enum wait_state; 0: no wait so far
  u8 is_taken;
  u8 state;
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct thread_wait);
} waits SEC(".maps");

static __always_inline void end_wait(struct thread_wait* wait, u32 tid, u64 now) {
  u64* expected = &wait->expected_ns[wait->state & 3];
  const u64 waited = now - wait->out_ns;
  if (wait->is_taken) {
    struct wait_end_message message = {
        .head = {.kind = MESSAGE_WAIT_END, .tid = tid, .time_ns = wait->out_ns},
        .wake_ns = wait->wake_ns ? wait->wake_ns : now,
        .run_ns = now,
    };
    if (wait->state == WAIT_PREEMPTED)
      message.wake_ns = wait->out_ns;
    if (bpf_ringbuf_output(&traces, &message, sizeof(message), wake_up_flag()) != 0) {
      count(COUNTER_WAITS_LOST);
    }
  }
  // One wait says little about the next: long waits are expected until the thread has had some
  // short ones.
  if (*expected == 0)
    *expected = changing.wait_unit_ns;
  *expected = *expected - (*expected >> WAIT_AVERAGE_SHIFT) + (waited >> WAIT_AVERAGE_SHIFT);
  wait->out_ns = 0;
  wait->wake_ns = 0;
  wait->is_taken = 0;
}

// Returns when the thread that leaves its CPU now was scheduled, based on the run time the kernel
// has counted since. Real-time threads are treated as scheduled when they were woken.
static __always_inline u64 arrival_of(const struct task_struct* task,
                                      const struct thread_wait* wait, u64 now) {
  const u64 ran = task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime;
  const u64 earliest = wait->wake_ns ? wait->wake_ns : wait->out_ns;
  return ran > now - earliest ? earliest : now - ran;
}

// Returns the chance of recording a wait, in proportion to its expected length: all long waits are
// recorded, and short ones cost little. The sum stays correct for any expectation, because each
// recorded wait is weighted by the inverse of its chance.
static __always_inline u32 chance_of(const struct thread_wait* wait) {
  const u64 expected = wait->expected_ns[wait->state & 3];
  u64 chance;
  if (expected == 0 || expected >= changing.wait_unit_ns)
    return CHANCE_ONE;
  chance = (expected << 16) / changing.wait_unit_ns;
  return chance < changing.wait_chance_min ? changing.wait_chance_min : chance;
}

static __always_inline u8 wait_state_of(struct task_struct* task, bool is_preempted) {
  const u32 state = task->__state;
  const struct pt_regs* saved;
  if (is_preempted || state == 0)
    return WAIT_PREEMPTED;
  if (state & TASK_WAITS_UNINTERRUPTIBLE)
    return WAIT_DISK;
  saved = (const struct pt_regs*)bpf_task_pt_regs(task);
  if (is_in_system_call(saved) && is_lock_call(system_call_number(saved)))
    return WAIT_LOCK;
  return WAIT_SLEEP;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(off_cpu, bool preempt, struct task_struct* prev, struct task_struct* next) {
  const u64 now = bpf_ktime_get_ns();
  struct thread_wait* wait = bpf_task_storage_get(&waits, next, 0, 0);
  struct walk_state* walk;
  u32 chance;
  if (wait && wait->out_ns != 0)
    end_wait(wait, next->pid, now);
  if (prev->pid == 0 || (prev->flags & TASK_IS_KERNEL_THREAD) || (prev->__state & TASK_IS_DEAD))
    return 0;
  if ((u32)prev->tgid == fixed.own_tgid || !is_chosen(prev->tgid, prev->pid) ||
      !is_on_chosen_processor())
    return 0;
  wait = bpf_task_storage_get(&waits, prev, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!wait)
    return 0;
  // The thread ran without our seeing it: for some processes the kernel does not run our programs
  // when they leave the CPU, so the thread that follows them is not seen.
  if (wait->out_ns != 0)
    end_wait(wait, prev->pid, arrival_of(prev, wait, now));
  count(COUNTER_WAITS);
  wait->state = wait_state_of(prev, preempt);
  wait->out_ns = now;
  wait->wake_ns = 0;
  chance = chance_of(wait);
  wait->is_taken = (bpf_get_prandom_u32() & (CHANCE_ONE - 1)) < chance;
  if (!wait->is_taken)
    return 0;
  count(COUNTER_WAITS_TAKEN);
  walk = begin_trace(ctx, prev, LEVEL_OFF_CPU, now);
  if (!walk)
    return 0;
  walk->trace.probability = chance;
  walk->trace.wait = wait->state;
  begin_walk(walk, prev);
  walk_and_send(ctx, walk, LEVEL_OFF_CPU, &off_cpu_programs);
  return 0;
}

SEC("tp_btf/sched_switch")
int off_cpu_walk(void* context) {
  walk_some_and_send(context, LEVEL_OFF_CPU, &off_cpu_programs);
  return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(woken, struct task_struct* task) {
  struct thread_wait* wait = bpf_task_storage_get(&waits, task, 0, 0);
  if (wait && wait->is_taken && wait->wake_ns == 0)
    wait->wake_ns = bpf_ktime_get_ns();
  return 0;
}

// ---- Processes ---------------------------------------------------------------------------------

// The mappings of the old program are gone, and those of the new one are not known yet. The waits
// of the old program say nothing about the new one.
SEC("tp_btf/sched_process_exec")
int BPF_PROG(process_exec, struct task_struct* task) {
  const u32 tgid = task->tgid;
  bpf_map_delete_elem(&processes, &tgid);
  bpf_map_delete_elem(&runtimes, &tgid);
  bpf_map_delete_elem(&go_processes, &tgid);
  bpf_task_storage_delete(&waits, task);
  return 0;
}

// A child starts with its parent's mappings, and is recorded if its parent is.
SEC("tp_btf/sched_process_fork")
int BPF_PROG(process_fork, struct task_struct* parent, struct task_struct* child) {
  const u32 parent_id = parent->tgid;
  const u32 child_id = child->tgid;
  const struct process_tables* known;
  const struct runtime_process* runtime;
  if (parent_id == child_id)
    return 0;
  if ((fixed.choices & CHOOSE_PROCESSES) && bpf_map_lookup_elem(&chosen_processes, &parent_id)) {
    const u8 yes = 1;
    bpf_map_update_elem(&chosen_processes, &child_id, &yes, BPF_ANY);
  }
  known = bpf_map_lookup_elem(&processes, &parent_id);
  if (known) {
    struct process_tables tables = *known;
    tables.start_time_ns = child->start_boottime;
    // The parent published its context; a child has to publish one for itself.
    tables.context.kind = CONTEXT_NONE;
    bpf_map_update_elem(&processes, &child_id, &tables, BPF_ANY);
  }
  runtime = bpf_map_lookup_elem(&runtimes, &parent_id);
  if (runtime)
    bpf_map_update_elem(&runtimes, &child_id, runtime, BPF_ANY);
  return 0;
}
