// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/testing/traced_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/unwind/testing/thread_registers.h"

namespace flarestack::record::unwind::testing {

TracedProcess::TracedProcess(TracedProcess&& other) noexcept
    : pid_(other.pid_), stop_signal_(other.stop_signal_), is_stopped_(other.is_stopped_) {
  other.pid_ = -1;
}

TracedProcess::~TracedProcess() {
  if (pid_ <= 0)
    return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool TracedProcess::WaitForStop() {
  int status = 0;
  is_stopped_ = waitpid(pid_, &status, 0) == pid_ && WIFSTOPPED(status);
  stop_signal_ = is_stopped_ ? WSTOPSIG(status) : 0;
  if (!is_stopped_)
    pid_ = -1;  // the process is gone
  return is_stopped_;
}

TracedProcess TracedProcess::Fork(const std::function<void()>& run) {
  TracedProcess child(fork());
  if (child.pid_ == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) {
      raise(SIGSTOP);
      run();
    }
    _exit(0);
  }
  if (child.pid_ > 0)
    child.WaitForStop();
  return child;
}

TracedProcess TracedProcess::Start(const std::string& path, const std::string& output_path) {
  TracedProcess child(fork());
  if (child.pid_ == 0) {
    const int output = open(output_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (output >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0)
      execl(path.c_str(), path.c_str(), nullptr);
    _exit(1);
  }
  if (child.pid_ <= 0 || !child.WaitForStop())  // stop after exec
    return child;
  do {
    // Signals received meanwhile are passed on, except for the SIGTRAP of exec.
    const int passed_on = child.stop_signal_ == SIGTRAP ? 0 : child.stop_signal_;
    if (ptrace(PTRACE_CONT, child.pid_, nullptr, passed_on) != 0)
      break;
  } while (child.WaitForStop() && child.stop_signal_ != SIGTRAP);
  return child;
}

bool TracedProcess::Step() {
  const int passed_on = stop_signal_ == SIGTRAP || stop_signal_ == SIGSTOP ? 0 : stop_signal_;
  return is_stopped_ && ptrace(PTRACE_SINGLESTEP, pid_, nullptr, passed_on) == 0 && WaitForStop();
}

bpf::unwind_registers TracedProcess::Registers() const {
  return ReadRegisters(pid_).value_or(bpf::unwind_registers());
}

}  // namespace flarestack::record::unwind::testing
