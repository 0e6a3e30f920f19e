// SPDX-License-Identifier: Apache-2.0
//
// A program that runs beside the test, which reads what it prints and ends it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::testing {

class RunningProgram {
 public:
  RunningProgram() = default;  // none
  // Output and errors are one text. `prepare` is called in the new process.
  explicit RunningProgram(std::vector<std::string> words,
                          const std::function<void()>& prepare = nullptr);
  ~RunningProgram();  // kills it if it still runs
  RunningProgram(RunningProgram&& other) noexcept;
  RunningProgram& operator=(RunningProgram&& other) noexcept;

  bool is_running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  const std::string& printed() const { return printed_; }  // and read by then

  // Until it has printed this. False when it has ended before.
  bool ReadUntil(std::string_view text);
  void CloseOutput();  // as if whoever read it had ended

  // Answers the exit code, or minus the signal that ended it.
  int End(int signal);
  int Wait();

 private:
  bool ReadSome();

  pid_t pid_ = -1;
  int output_ = -1;
  std::string printed_;
};

}  // namespace flarestack::testing
