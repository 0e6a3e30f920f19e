// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/wait_frames.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/sample_type.h"

namespace flarestack::query {
namespace {

// A name that ends with * matches all names with that prefix.
constexpr std::string_view kEntryNames[] = {
    // x86-64
    "entry_SYSCALL_*",
    "entry_SYSENTER_*",
    "entry_INT80_*",
    "do_syscall_64",
    "x64_sys_call",
    "do_int80_*",
    "do_fast_syscall_32",
    "__do_fast_syscall_32",
    "do_SYSENTER_32",
    "ia32_sys_call",
    "syscall_enter_from_user_mode*",
    "syscall_exit_to_user_mode*",
    "asm_sysvec_*",
    "sysvec_*",
    "asm_common_interrupt",
    "common_interrupt",
    "ret_from_fork*",
    "ret_from_intr",
    // arm64
    "el0t_64_*",
    "el0t_32_*",
    "el0_svc*",
    "do_el0_svc*",
    "invoke_syscall*",
    "el0_interrupt",
    "__el0_irq_handler_common",
    "el1h_64_*",
    "el1_interrupt",
    "__el1_irq",
    "el1_irq*",
    "el0_irq*",
    "ret_to_user",
    "do_notify_resume",
    "arm64_preempt_schedule_irq",
    // both
    "irqentry_exit*",
    "exit_to_user_mode*",
    "prepare_exit_to_user_mode*",
    "raw_irqentry_exit*",
};

constexpr std::string_view kSchedulerNames[] = {
    "__schedule",
    "schedule",
    "schedule_timeout*",
    "schedule_hrtimeout*",
    "schedule_preempt_disabled",
    "schedule_rtlock",
    "rt_mutex_schedule",
    "io_schedule*",
    "preempt_schedule*",
    "__cond_resched",
    "_cond_resched",
    "do_nanosleep",
    "hrtimer_nanosleep",
    "common_nsleep*",
    "futex_wait_queue*",
    "__futex_wait",
    "futex_wait",
    "do_futex",
    "poll_schedule_timeout*",
    "wait_woken",
};

bool IsAmong(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::any_of(names, [&](std::string_view known) {
    if (!known.ends_with('*'))
      return name == known;
    known.remove_suffix(1);
    return name.starts_with(known);
  });
}

enum class FrameRole : uint8_t { kUnknown, kOther, kEntry, kScheduler };

// Caches the role of each frame of a table.
class FrameRoles {
 public:
  explicit FrameRoles(const FrameTable& table)
      : table_(table), roles_(table.frame_count(), FrameRole::kUnknown) {}

  FrameRole Of(FrameId frame) {
    FrameRole& role = roles_[frame.value];
    if (role == FrameRole::kUnknown)
      role = Find(frame);
    return role;
  }

 private:
  // User programs have functions called schedule too.
  bool IsOfKernel(const Frame& frame) const {
    return table_.Text(frame.type) == "kernel" || table_.Text(frame.module).starts_with("[kernel");
  }

  FrameRole Find(FrameId frame) const {
    if (!IsOfKernel(table_.At(frame)))
      return FrameRole::kOther;
    // Compilers add suffixes such as .isra.0, .constprop.0 and .part.0.
    const std::string_view whole = table_.FunctionOf(frame);
    const std::string_view name = whole.substr(0, whole.find('.'));
    if (IsAmong(kEntryNames, name))
      return FrameRole::kEntry;
    return IsAmong(kSchedulerNames, name) ? FrameRole::kScheduler : FrameRole::kOther;
  }

  const FrameTable& table_;
  std::vector<FrameRole> roles_;
};

}  // namespace

bool HoldsWaits(std::string_view sample_type) {
  return model::SameSampleType(sample_type, "off_cpu") || sample_type == "wall";
}

void FoldWaitFrames(StackSet* set) {
  FrameRoles roles(set->table);
  std::vector<FrameId> frames;
  frames.reserve(set->stack_frames.size());
  for (StackRow& row : set->rows) {
    const std::span<const FrameId> stack = set->FramesOf(row);
    size_t end = stack.size();
    while (end > 0 && roles.Of(stack[end - 1]) != FrameRole::kOther)
      --end;
    const size_t begin = frames.size();
    for (const FrameId frame : stack.first(end)) {
      if (roles.Of(frame) != FrameRole::kEntry)
        frames.push_back(frame);
    }
    if (frames.size() == begin && !stack.empty())
      frames.push_back(stack.front());
    row.frames = {.begin = static_cast<uint32_t>(begin),
                  .count = static_cast<uint32_t>(frames.size() - begin)};
  }
  set->stack_frames = std::move(frames);
  MergeEqualRows(set);
}

}  // namespace flarestack::query
