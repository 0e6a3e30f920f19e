// SPDX-License-Identifier: Apache-2.0
//
// A child process that waits before exec until it is resumed, so that recording misses nothing. It
// shares the terminal of its parent.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file/descriptor.h"

namespace flarestack::cli {

class ChildCommand {
 public:
  static absl::StatusOr<ChildCommand> Start(const std::vector<std::string>& words);
  ChildCommand(ChildCommand&& other) noexcept;
  ChildCommand& operator=(ChildCommand&&) = delete;
  // Ends a child that was never resumed.
  ~ChildCommand();

  pid_t pid() const { return pid_; }

  // Returns kNotFound if there is no such program, kPermissionDenied if it is not executable.
  absl::Status Resume();

  // The exit status as in a shell (128 plus the signal if one ended it). Returns nullopt while it
  // runs.
  std::optional<int> Ended();

  void Signal(int signal) const;

 private:
  ChildCommand() = default;

  pid_t pid_ = -1;
  base::Descriptor gate_;    // a write resumes the child
  base::Descriptor report_;  // receives the errno of a failed exec
  std::optional<int> status_;
};

}  // namespace flarestack::cli
