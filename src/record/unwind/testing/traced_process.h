// SPDX-License-Identifier: Apache-2.0
//
// A child process that is single-stepped, to examine its stack at each instruction.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "record/bpf/layout.h"

namespace flarestack::record::unwind::testing {

class TracedProcess {
 public:
  // Forks a child that is stopped before it calls the function and exits after it. Not stopped if
  // tracing is not permitted here.
  static TracedProcess Fork(const std::function<void()>& run);
  // Starts a program that stops itself with a breakpoint signal to its first thread. Its output
  // goes to the file.
  static TracedProcess Start(const std::string& path, const std::string& output_path);

  TracedProcess(TracedProcess&& other) noexcept;
  TracedProcess& operator=(TracedProcess&&) = delete;
  ~TracedProcess();  // kills the child

  pid_t pid() const { return pid_; }
  bool is_stopped() const { return is_stopped_; }

  // Executes one instruction. Returns false if the process is gone.
  bool Step();
  bpf::unwind_registers Registers() const;

 private:
  explicit TracedProcess(pid_t pid) : pid_(pid) {}

  bool WaitForStop();

  pid_t pid_;
  int stop_signal_ = 0;
  bool is_stopped_ = false;
};

}  // namespace flarestack::record::unwind::testing
