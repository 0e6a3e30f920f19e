// SPDX-License-Identifier: Apache-2.0
//
// What the program's exit status means. Scripts depend on these numbers.
#pragma once

namespace flarestack::cli {

enum ExitCode : int {
  kSuccess = 0,
  kFailed = 1,         // bad input, or input and output
  kUsage = 2,          // the command line
  kNothingFound = 3,   // nothing matched what was asked for
  kNotMet = 4,         // a limit is exceeded, or a check found an error
  kNoPrivilege = 5,    // the system does not let us
  kUnreachable = 6,    // the server cannot be reached, or refuses
  kPartial = 7,        // the answer is not complete, where that was asked for to be an error
  kInterrupted = 130,  // by a signal, after what there was has been saved
};

}  // namespace flarestack::cli
