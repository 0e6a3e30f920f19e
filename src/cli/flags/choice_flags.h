// SPDX-License-Identifier: Apache-2.0
//
// Flags that select processes by command name, user or cgroup. A process that matches any of them
// is recorded.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/command/command.h"
#include "record/kernel/kernel_side.h"

namespace flarestack::cli {

class ChoiceFlags {
 public:
  void Define(CLI::App* app);

  bool empty() const { return commands_.empty() && users_.empty() && cgroups_.empty(); }

  // kInvalidArgument if a value is invalid; the error names the flag.
  absl::StatusOr<record::agent::Choice> Read() const;

  // "command nginx, user www-data", for people.
  std::vector<std::string> Words() const;

 private:
  std::vector<std::string> commands_;
  std::vector<std::string> users_;
  std::vector<std::string> cgroups_;
};

}  // namespace flarestack::cli
