// SPDX-License-Identifier: Apache-2.0
//
// A command that is started, but waits at its very beginning until it is let go: so nothing of it
// is missed. It has the terminal of its parent.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"

namespace flarestack::cli {

class ChildCommand {
 public:
  static absl::StatusOr<ChildCommand> Start(const std::vector<std::string>& words);
  ChildCommand(ChildCommand&& other) noexcept;
  ChildCommand& operator=(ChildCommand&&) = delete;
  // One that was never let go is ended.
  ~ChildCommand();

  pid_t pid() const { return pid_; }

  // kNotFound when there is no such program, kPermissionDenied when it may not be run.
  absl::Status Resume();

  // The exit status as a shell has it (128 and the signal when one ended it), once it has ended.
  std::optional<int> Ended();

  void Signal(int signal) const;

 private:
  ChildCommand() = default;

  pid_t pid_ = -1;
  base::Descriptor gate_;    // written to when it may go
  base::Descriptor report_;  // says why it could not
  std::optional<int> status_;
};

}  // namespace flarestack::cli
