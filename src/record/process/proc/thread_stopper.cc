// SPDX-License-Identifier: Apache-2.0
#include "record/process/proc/thread_stopper.h"

#include <elf.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <string>
#include <thread>

#include "base/text/text.h"
#include "record/process/proc/bounded_file.h"
#include "record/process/proc/process_memory.h"

namespace flarestack::record::agent {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

// A thread that runs on another CPU stops within microseconds, sooner than a sleep ends. One that
// shares our CPU needs us to sleep.
constexpr microseconds kYieldTime{100};
constexpr microseconds kPause{100};

// Errors of system calls that exist only inside the kernel: the call starts again unless a signal
// is handled.
constexpr int64_t kRestartErrors[] = {-512, -513, -514, -516};

#if defined(__x86_64__)
constexpr int64_t kRestartNoHandler = -514;

// Calls that report EINTR after any stop, although no signal is handled, and can start again: they
// had no effect. Their time limit begins again too; Stop chooses threads that ran a moment ago.
bool IsRestartable(uint64_t number) {
  switch (number) {
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_rt_sigtimedwait:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept:
    case SYS_accept4:
      return true;
    default:
      return false;
  }
}
#endif

bool ReadSet(pid_t tid, uint64_t type, void* out, size_t bytes) {
  iovec buffer = {.iov_base = out, .iov_len = bytes};
  // The kernel fills less for a 32-bit program.
  return ptrace(PTRACE_GETREGSET, tid, type, &buffer) == 0 && buffer.iov_len == bytes;
}

[[maybe_unused]] bool IsRestartError(int64_t result) {
  return std::find(std::begin(kRestartErrors), std::end(kRestartErrors), result) !=
         std::end(kRestartErrors);
}

#if defined(__x86_64__)
bool ReadState(const ThreadId& thread, ThreadState* state) {
  user_regs_struct saved = {};
  if (!ReadSet(thread.tid, NT_PRSTATUS, &saved, sizeof(saved)))
    return false;
  const uint64_t ordered[] = {saved.rax, saved.rdx, saved.rcx, saved.rbx, saved.rsi, saved.rdi,
                              saved.rbp, saved.rsp, saved.r8,  saved.r9,  saved.r10, saved.r11,
                              saved.r12, saved.r13, saved.r14, saved.r15};
  std::copy(std::begin(ordered), std::end(ordered), state->registers.regs);
  state->registers.pc = saved.rip;
  state->registers.has_all = 1;
  state->thread_pointer = saved.fs_base;
  const auto result = static_cast<int64_t>(saved.rax);
  const bool is_in_call = static_cast<int64_t>(saved.orig_rax) >= 0;
  state->has_waited = is_in_call && (IsRestartError(result) || result == -EINTR);
  if (is_in_call && result == -EINTR && IsRestartable(saved.orig_rax)) {
    saved.rax = static_cast<uint64_t>(kRestartNoHandler);
    iovec buffer = {.iov_base = &saved, .iov_len = sizeof(saved)};
    ptrace(PTRACE_SETREGSET, thread.tid, NT_PRSTATUS, &buffer);
  }
  return true;
}
#else
bool ReadState(const ThreadId& thread, ThreadState* state) {
  user_regs_struct saved = {};
  if (!ReadSet(thread.tid, NT_PRSTATUS, &saved, sizeof(saved)) ||
      !ReadSet(thread.tid, NT_ARM_TLS, &state->thread_pointer, sizeof(state->thread_pointer)))
    return false;
  std::copy(std::begin(saved.regs), std::end(saved.regs), state->registers.regs);
  state->registers.regs[bpf::ARM64_REG_SP] = saved.sp;
  state->registers.pc = saved.pc;
  state->registers.has_all = 1;
  // Before it stops, the kernel has set pc back to the call that will start again.
  constexpr uint32_t kCall = 0xd4000001;
  const auto word_at = [&](uint64_t address) {
    std::array<char, sizeof(uint32_t)> bytes = {};
    return ReadMemoryBegin(thread.pid, address, bytes) == bytes.size()
               ? std::bit_cast<uint32_t>(bytes)
               : 0;
  };
  state->has_waited =
      word_at(saved.pc) == kCall ||
      (static_cast<int64_t>(saved.regs[0]) == -EINTR && word_at(saved.pc - 4) == kCall);
  return true;
}
#endif

// Neither runs nor waits for a CPU.
bool Sleeps(const ThreadId& thread) {
  const auto text = ReadBegin(base::StrCat("/proc/", thread.pid, "/task/", thread.tid, "/stat"),
                              /*bytes_max=*/512);
  if (!text.ok())
    return true;
  const size_t end = text->rfind(')');  // of the name, which may contain anything
  return end == std::string::npos || end + 2 >= text->size() || (*text)[end + 2] != 'R';
}

}  // namespace

ThreadStopper::~ThreadStopper() {
  const auto deadline = steady_clock::now() + options_.last_wait_max;
  for (ReleaseLate(); has_late() && steady_clock::now() < deadline; ReleaseLate())
    std::this_thread::sleep_for(kPause);
}

absl::Status ThreadStopper::Stop(const ThreadId& thread, Visitor visit) {
  if (Sleeps(thread))
    return absl::FailedPreconditionError("the thread does not run");
  return StopAny(thread, visit);
}

absl::Status ThreadStopper::StopAny(const ThreadId& thread, Visitor visit) {
  if (ptrace(PTRACE_SEIZE, thread.tid, nullptr, nullptr) != 0) {
    return absl::ErrnoToStatus(errno == ESRCH ? ENOENT : errno,
                               base::StrCat("cannot trace thread ", thread.tid));
  }
  ThreadId found = thread;
  StopReason reason;
  ptrace(PTRACE_INTERRUPT, thread.tid, nullptr, nullptr);
  switch (WaitForStop(&found, &reason)) {
    case Found::kGone:
      return absl::NotFoundError(base::StrCat("thread ", thread.tid, " is gone"));
    case Found::kRunning:
      late_.push_back(found);
      return absl::DeadlineExceededError(base::StrCat("thread ", thread.tid, " does not stop"));
    case Found::kStopped:
      break;
  }
  ThreadState state;
  const bool is_readable = found.tid == thread.tid && ReadState(thread, &state);
  if (is_readable)
    visit(state);
  Release(found, reason);
  return is_readable ? absl::OkStatus() : absl::UnimplementedError("cannot read the registers");
}

void ThreadStopper::ReleaseLate() {
  std::vector<ThreadId> late;
  late.swap(late_);
  for (ThreadId& thread : late) {
    StopReason reason;
    const Found found = Look(&thread, &reason);
    if (found == Found::kRunning) {
      late_.push_back(thread);
    } else if (found == Found::kStopped) {
      ThreadState unused;
      ReadState(thread, &unused);  // restarts its system call
      Release(thread, reason);
    }
  }
}

ThreadStopper::Found ThreadStopper::WaitForStop(ThreadId* thread, StopReason* reason) const {
  const auto start = steady_clock::now();
  for (;;) {
    const Found found = Look(thread, reason);
    const auto passed = steady_clock::now() - start;
    if (found != Found::kRunning || passed >= options_.wait_max)
      return found;
    if (passed < kYieldTime)
      sched_yield();
    else
      std::this_thread::sleep_for(kPause);
  }
}

ThreadStopper::Found ThreadStopper::Look(ThreadId* thread, StopReason* reason) const {
  const auto tid = static_cast<id_t>(thread->tid);
  siginfo_t info = {};
  // Fails for a thread that has ended: it cannot stop any more.
  if (waitid(P_PID, tid, &info, WSTOPPED | WNOHANG | __WALL) == 0 && info.si_pid != 0) {
    *reason = {.event = info.si_status >> 8, .signal = info.si_status & 0x7f};
    return Found::kStopped;
  }
  info = {};
  if (waitid(P_PID, tid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0)
    return LookAfterExec(thread);
  if (info.si_pid == 0 || info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED)
    return Found::kRunning;
  // The process of a traced thread cannot end before its tracer has seen the thread end.
  if (thread->tid != child_)
    waitid(P_PID, tid, &info, WEXITED | WNOHANG | __WALL);
  return Found::kGone;
}

// A thread that executes a program becomes the first thread of its process, and stays traced.
ThreadStopper::Found ThreadStopper::LookAfterExec(ThreadId* thread) const {
  if (thread->tid == thread->pid || ptrace(PTRACE_INTERRUPT, thread->pid, nullptr, nullptr) != 0)
    return Found::kGone;
  thread->tid = thread->pid;
  return Found::kRunning;
}

void ThreadStopper::Release(const ThreadId& thread, const StopReason& reason) {
  // A stop without an event is a signal on its way to the thread.
  const auto signal = static_cast<uintptr_t>(reason.event == 0 ? reason.signal : 0);
  if (ptrace(PTRACE_DETACH, thread.tid, nullptr, signal) != 0)
    late_.push_back(thread);  // it was killed
}

}  // namespace flarestack::record::agent
