// SPDX-License-Identifier: Apache-2.0
//
// Decides whether a file may name the code of a process. Any user may create files in /tmp, and
// old ones stay there after a process has exited.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flarestack::record::runtime {

struct ProcessOwner {
  uid_t user = 0;        // effective
  pid_t pid_inside = 0;  // in the innermost pid namespace of the process

  friend bool operator==(const ProcessOwner&, const ProcessOwner&) = default;
};

// Parses /proc/PID/status. Returns nullopt if a field is missing.
std::optional<ProcessOwner> ParseOwner(std::string_view status);

absl::StatusOr<ProcessOwner> ReadOwner(pid_t pid);

// `start_ns` as returned by agent::StartTime. Returns kPermissionDenied if the open file belongs to
// neither the user of the process nor root, and kFailedPrecondition if it was last written before
// the process started.
absl::Status CheckCodeFile(int file, const ProcessOwner& owner, uint64_t start_ns);

}  // namespace flarestack::record::runtime
