// SPDX-License-Identifier: Apache-2.0
//
// A child that is run instruction by instruction, to look at its stack at each of them.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "record/bpf/layout.h"

namespace flarestack::record::unwind::testing {

class TracedProcess {
 public:
  // A fork of ours that is stopped before it calls the function; it exits after it. Not stopped
  // when processes may not be traced here.
  static TracedProcess Fork(const std::function<void()>& run);
  // A program that has stopped itself with a breakpoint signal to its first thread. Its output goes
  // to the file.
  static TracedProcess Start(const std::string& path, const std::string& output_path);

  TracedProcess(TracedProcess&& other) noexcept;
  TracedProcess& operator=(TracedProcess&&) = delete;
  ~TracedProcess();  // kills it

  pid_t pid() const { return pid_; }
  bool is_stopped() const { return is_stopped_; }

  // One instruction; false when the process is gone.
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
