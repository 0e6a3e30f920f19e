// SPDX-License-Identifier: Apache-2.0
//
// Texts about a process from /proc.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// Unreadable texts are empty.
struct ProcessTexts {
  std::string environment;   // at most 1 MiB
  std::string command_line;  // at most 64 KiB
  std::string executable;    // path as seen by the process, also of a deleted file
  std::string working_directory;
  std::string thread_name;
};

// Returns kNotFound if there is no such process.
absl::StatusOr<ProcessTexts> ReadProcessTexts(pid_t pid);

// Returns the path as seen by the process, also of a deleted file; empty if it cannot be read.
std::string ReadExecutable(pid_t pid);

}  // namespace flarestack::record::agent
