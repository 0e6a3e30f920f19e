// SPDX-License-Identifier: Apache-2.0
//
// What doctor found, as people, programs and shells read it.
#pragma once

#include <string>

#include "cli/command/exit_code.h"
#include "record/host/host_check.h"

namespace flarestack::cli {

std::string DoctorText(const record::agent::HostReport& report);

// {"schema": "flarestack.doctor/1", ...}
std::string DoctorJson(const record::agent::HostReport& report);

// A script for sh with the command of each finding, once each; what has no command is a comment.
std::string DoctorFixScript(const record::agent::HostReport& report);

// kSuccess when the whole system can be recorded, kNoPrivilege when another user could,
// kCheckFailed when the kernel cannot.
ExitCode DoctorExitCode(const record::agent::HostReport& report);

}  // namespace flarestack::cli
