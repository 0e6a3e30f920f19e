// SPDX-License-Identifier: Apache-2.0
//
// Opens files as a process sees them, through its root folder and mount namespace. Symbolic links
// are resolved inside that root, so a container cannot make us read a file of the host.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/file/descriptor.h"

namespace flarestack::record::agent {

enum class LastLink { kFollow, kReject };

// Opens a regular file for reading. `path` is absolute. Never blocks on a pipe or device. Returns
// kInvalidArgument if it is not a regular file, other errors as reported by the kernel.
absl::StatusOr<base::Descriptor> OpenInRoot(pid_t pid, std::string_view path, LastLink last);

// Reads a whole regular file. Returns kResourceExhausted if it is larger than `bytes_max`.
absl::StatusOr<std::string> ReadInRoot(pid_t pid, std::string_view path, size_t bytes_max);

// ReadInRoot as a value, so that tests can substitute other files.
using RootReader = absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)>;

}  // namespace flarestack::record::agent
