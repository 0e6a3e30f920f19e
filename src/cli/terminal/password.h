// SPDX-License-Identifier: Apache-2.0
//
// Reads a password from a person or a script, never from the command line, which others can see.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace flarestack::cli {

// Prompts twice without echo on a terminal; reads one line if standard input is not a terminal.
// Returns kInvalidArgument if the two differ or there is more than one line.
absl::StatusOr<std::string> ReadNewPassword();

}  // namespace flarestack::cli
