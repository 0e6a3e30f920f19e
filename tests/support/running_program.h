// SPDX-License-Identifier: Apache-2.0
//
// A program that runs while the test reads its output, and that the test ends.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::testing {

class RunningProgram {
 public:
  RunningProgram() = default;  // no program
  // Output and errors are combined. `prepare` is called in the new process.
  explicit RunningProgram(std::vector<std::string> words,
                          const std::function<void()>& prepare = nullptr);
  ~RunningProgram();  // kills the program if it still runs
  RunningProgram(RunningProgram&& other) noexcept;
  RunningProgram& operator=(RunningProgram&& other) noexcept;

  bool is_running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  const std::string& printed() const { return printed_; }  // read so far

  // Reads until the program has printed `text`. Returns false if it ended first.
  bool ReadUntil(std::string_view text);
  void CloseOutput();  // as if the reader had ended

  // Returns the exit code, or minus the signal that ended it.
  int End(int signal);
  int Wait();

 private:
  bool ReadSome();

  pid_t pid_ = -1;
  int output_ = -1;
  std::string printed_;
};

}  // namespace flarestack::testing
