// SPDX-License-Identifier: Apache-2.0
//
// The target of `record`: a command, processes, threads, processes selected by filters, or the
// whole host; and the CPUs.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/command/command.h"
#include "cli/flags/choice_flags.h"
#include "record/kernel/kernel_side.h"

namespace flarestack::cli {

class RecordTarget {
 public:
  void Define(CLI::App* app);

  // Returns the exit code. Reports errors.
  int Check();

  const std::vector<std::string>& command() const { return words_; }

  // Valid after Check. Excludes the command, whose process does not exist yet.
  const record::agent::Choice& choice() const { return choice_; }
  const std::vector<int>& processors() const { return processors_; }

  // Whether anything may still run. If only processes and threads were named, returns false once
  // all of them have ended.
  bool MayStillRun() const;

  std::string Text() const;         // for people: "./prices", "process 12", "this host"
  std::string DefaultName() const;  // of the output file, without extension

 private:
  int CheckThereIsOne() const;
  int CheckProcessors();
  int CheckTheyRun() const;

  std::vector<std::string> words_;
  std::vector<int> pids_;
  std::vector<int> tids_;
  bool whole_host_ = false;
  ChoiceFlags flags_;
  std::string processor_list_;
  record::agent::Choice choice_;
  std::vector<int> processors_;
};

}  // namespace flarestack::cli
