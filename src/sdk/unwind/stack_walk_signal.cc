// SPDX-License-Identifier: Apache-2.0
#include "sdk/unwind/stack_walk_signal.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>

#include "sdk/memory_at.h"
#include "sdk/unwind/modules.h"

namespace flarestack::sdk {
namespace {

constexpr uintptr_t kPageBytes = 4096;
constexpr uintptr_t kFrameBytesMax = 1 << 20;

#if defined(__aarch64__)
// Without the signature of a signed return address.
uintptr_t Unsigned(uintptr_t address) { return address & ((uintptr_t{1} << 48) - 1); }
constexpr uintptr_t kSignalInfoBytes = 128;
#else
uintptr_t Unsigned(uintptr_t address) { return address; }
constexpr uintptr_t kSignalInfoBytes = 0;
#endif

// Reads words of the own stack. The kernel copies the first word of each page for us, so that a
// wrong address is an error and not a crash.
class StackMemory {
 public:
  // The address sanitizer does not know that the stack of other functions is read on purpose.
  __attribute__((no_sanitize("address"))) bool Read(uintptr_t address, uintptr_t* word) {
    if (address % sizeof(uintptr_t) != 0 || address < kPageBytes)
      return false;
    if (address < begin_ || address >= end_) {
      if (!Probe(address))
        return false;
    }
    *word = *MemoryAt<uintptr_t>(address);
    return true;
  }

 private:
  bool Probe(uintptr_t address) {
    uintptr_t copy = 0;
    const iovec local = {.iov_base = &copy, .iov_len = sizeof(copy)};
    const iovec remote = {.iov_base = const_cast<char*>(MemoryAt<char>(address)),
                          .iov_len = sizeof(copy)};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) !=
            static_cast<ssize_t>(sizeof(copy)) &&
        !IsMapped(address))
      return false;
    const uintptr_t page = address & ~(kPageBytes - 1);
    if (page == end_) {
      end_ += kPageBytes;
    } else {
      begin_ = page;
      end_ = page + kPageBytes;
    }
    return true;
  }

  // Where a sandbox forbids process_vm_readv(). Weaker, because mapped memory may be unreadable;
  // but above the stack pointer it hardly is.
  static bool IsMapped(uintptr_t address) {
    if (errno != ENOSYS && errno != EPERM)
      return false;
    const uintptr_t page_bytes = getauxval(AT_PAGESZ);
    unsigned char resident = 0;
    return mincore(const_cast<char*>(MemoryAt<char>(address & ~(page_bytes - 1))), 1, &resident) ==
           0;
  }

  uintptr_t begin_ = 0;
  uintptr_t end_ = 0;
};

class Walker {
 public:
  explicit Walker(Registers registers) : at_(registers) {}

  Walk Run(std::span<uintptr_t> frames) {
    Walk walk;
    while (walk.frame_count < frames.size()) {
      frames[walk.frame_count++] = at_.pc;
      const Step step = Next();
      if (step != Step::kCaller) {
        walk.end = step == Step::kOutermost ? WalkEnd::kComplete
                   : step == Step::kNoRule  ? WalkEnd::kNoRule
                                            : WalkEnd::kUnreadable;
        return walk;
      }
      is_leaf_ = false;
    }
    walk.end = WalkEnd::kTooDeep;
    return walk;
  }

 private:
  enum class Step { kCaller, kOutermost, kUnreadable, kNoRule };

  Step Next() {
    // A return address may lie behind the end of its function, but not one that a signal
    // interrupted.
    const uintptr_t place = is_leaf_ || is_interrupted_ ? at_.pc : at_.pc - 1;
    is_interrupted_ = false;
    const Module* const module = modules_.Find(place);
    const UnwindRow* const row = module == nullptr ? nullptr : FindRow(*module, place);
    return row == nullptr ? NextByFramePointer() : NextByRow(*row, place);
  }

  Step NextByRow(const UnwindRow& row, uintptr_t place) {
    uintptr_t cfa = 0;
    switch (row.cfa) {
      case CfaRule::kOutermost:
        return Step::kOutermost;
      case CfaRule::kSignalFrame:
        return NextBySignalFrame();
      case CfaRule::kStackPointer:
        cfa = at_.sp + static_cast<uintptr_t>(int64_t{row.cfa_offset});
        break;
      case CfaRule::kFramePointer:
        cfa = at_.fp + static_cast<uintptr_t>(int64_t{row.cfa_offset});
        break;
      case CfaRule::kSavedAtFrame:
        if (!memory_.Read(at_.fp + static_cast<uintptr_t>(int64_t{row.cfa_offset}), &cfa))
          return Step::kUnreadable;
        break;
      case CfaRule::kLinkageStub:
        cfa = at_.sp + 8 + ((place & 15) >= static_cast<uintptr_t>(row.cfa_offset) ? 8 : 0);
        break;
      case CfaRule::kNone:
        return Step::kNoRule;
    }
    if (!IsAbove(cfa))
      return Step::kUnreadable;
    uintptr_t return_address = at_.lr;
    if (row.return_address == kSameRegister) {
      if (!is_leaf_ && !has_lr_)
        return Step::kUnreadable;
    } else if (!memory_.Read(cfa + static_cast<uintptr_t>(row.return_address * int64_t{8}),
                             &return_address)) {
      return Step::kUnreadable;
    }
    uintptr_t fp = at_.fp;
    if (row.frame_pointer == kAtFramePointer) {
      if (!memory_.Read(at_.fp, &fp))
        return Step::kUnreadable;
    } else if (row.frame_pointer == kLostRegister) {
      fp = 0;
    } else if (row.frame_pointer != kSameRegister &&
               !memory_.Read(cfa + static_cast<uintptr_t>(row.frame_pointer * int64_t{8}), &fp)) {
      return Step::kUnreadable;
    }
    return MoveTo(return_address, cfa, fp);
  }

  // Code of a JIT, or of a module without unwind information.
  Step NextByFramePointer() {
    uintptr_t caller_fp = 0;
    uintptr_t return_address = 0;
    if (at_.fp < at_.sp || !IsAbove(at_.fp + 16))
      return Step::kNoRule;
    if (!memory_.Read(at_.fp, &caller_fp) || !memory_.Read(at_.fp + 8, &return_address))
      return Step::kUnreadable;
    return MoveTo(return_address, at_.fp + 16, caller_fp);
  }

  Step NextBySignalFrame() {
    const uintptr_t context = at_.sp + kSignalInfoBytes;
    uintptr_t word = 0;
    // Probes the page of each register that is read.
    const auto* saved = MemoryAt<ucontext_t>(context);
#if defined(__x86_64__)
    const void* const first = &saved->uc_mcontext.gregs[REG_RBP];
    const void* const last = &saved->uc_mcontext.gregs[REG_RIP];
#else
    const void* const first = &saved->uc_mcontext.regs[29];
    const void* const last = &saved->uc_mcontext.pc;
#endif
    if (!memory_.Read(reinterpret_cast<uintptr_t>(first), &word) ||
        !memory_.Read(reinterpret_cast<uintptr_t>(last), &word))
      return Step::kUnreadable;
    const Registers interrupted = RegistersOf(saved);
    if (interrupted.pc < kPageBytes)
      return Step::kUnreadable;
    at_ = interrupted;  // a handler may run on a stack of its own, so sp may go either way
    is_interrupted_ = true;
    has_lr_ = true;
    return ++signal_frames_ > 8 ? Step::kUnreadable : Step::kCaller;
  }

  Step MoveTo(uintptr_t return_address, uintptr_t sp, uintptr_t fp) {
    return_address = Unsigned(return_address);
    if (return_address == 0)
      return Step::kOutermost;
    if (return_address < kPageBytes)
      return Step::kUnreadable;
    at_ = {.pc = return_address, .sp = sp, .fp = fp, .lr = 0};
    has_lr_ = false;
    return Step::kCaller;
  }

  // Frames grow upwards; only the leaf may have none of its own (arm64).
  bool IsAbove(uintptr_t cfa) const {
    return (cfa > at_.sp || (cfa == at_.sp && (is_leaf_ || has_lr_))) &&
           cfa - at_.sp <= kFrameBytesMax;
  }

  ModuleReader modules_;
  StackMemory memory_;
  Registers at_;
  bool is_leaf_ = true;
  bool is_interrupted_ = false;  // at_.pc is not a return address
  bool has_lr_ = false;          // at_.lr is that of interrupted code
  int signal_frames_ = 0;
};

}  // namespace

Registers RegistersOf(const void* signal_context) {
  const mcontext_t& context = static_cast<const ucontext_t*>(signal_context)->uc_mcontext;
#if defined(__x86_64__)
  return {.pc = static_cast<uintptr_t>(context.gregs[REG_RIP]),
          .sp = static_cast<uintptr_t>(context.gregs[REG_RSP]),
          .fp = static_cast<uintptr_t>(context.gregs[REG_RBP])};
#elif defined(__aarch64__)
  return {
      .pc = context.pc, .sp = context.sp, .fp = context.regs[29], .lr = Unsigned(context.regs[30])};
#endif
}

Walk WalkStack(Registers registers, std::span<uintptr_t> frames) {
  return Walker(registers).Run(frames);
}

}  // namespace flarestack::sdk
