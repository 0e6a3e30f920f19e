// SPDX-License-Identifier: Apache-2.0
//
// Exit codes of the program. Scripts depend on these numbers.
#pragma once

namespace flarestack::cli {

enum ExitCode : int {
  kSuccess = 0,
  kFailed = 1,         // bad input, or an I/O error
  kUsage = 2,          // invalid command line
  kNothingFound = 3,   // no match
  kCheckFailed = 4,    // a limit is exceeded, or a check found an error
  kNoPrivilege = 5,    // missing privilege
  kUnreachable = 6,    // the server is unreachable, or rejects the request
  kPartial = 7,        // partial result with --strict
  kInterrupted = 130,  // by a signal; partial output is saved
};

}  // namespace flarestack::cli
