// SPDX-License-Identifier: Apache-2.0
//
// What `record` records: a command, processes, threads, what filters choose, or the whole host; and
// on which processors.
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

  // Answers the exit code, after an error was reported.
  int Check();

  const std::vector<std::string>& command() const { return words_; }

  // After Check: all but the command, whose process is not there yet.
  const record::agent::Choice& choice() const { return choice_; }
  const std::vector<int>& processors() const { return processors_; }

  // Whether something may still run. Where nothing but processes and threads was named, false when
  // all of them have ended.
  bool MayStillRun() const;

  std::string Text() const;         // for people: "./prices", "process 12", "this host"
  std::string DefaultName() const;  // of the output, without extension

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
