// SPDX-License-Identifier: Apache-2.0
//
// Errors and warnings for people, on standard error.
#pragma once

#include <string>

#include "base/warnings.h"
#include "cli/command/exit_code.h"

namespace flarestack::cli {

// Three lines: what failed, why, and what to type next. `next` may be empty.
struct Failure {
  std::string what;
  std::string why;
  std::string next;
};

// Prints the failure and returns `code`, so that a command can `return Report(...)`.
int Report(const Failure& failure, ExitCode code);

void PrintWarnings(const base::Warnings& warnings);

}  // namespace flarestack::cli
