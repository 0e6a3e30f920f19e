// SPDX-License-Identifier: Apache-2.0
//
// A password from a person or a script, never from the command line, which others can see.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace flarestack::cli {

// On a terminal it is asked for twice and not shown; otherwise it is the one line of standard
// input. kInvalidArgument when the two differ or there is more than one line.
absl::StatusOr<std::string> ReadNewPassword();

}  // namespace flarestack::cli
