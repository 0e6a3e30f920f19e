// SPDX-License-Identifier: Apache-2.0
//
// Formats the findings of doctor for people, programs and shells.
#pragma once

#include <string>

#include "cli/command/exit_code.h"
#include "record/host/host_check.h"

namespace flarestack::cli {

std::string DoctorText(const record::agent::HostReport& report);

// {"schema": "flarestack.doctor/1", ...}
std::string DoctorJson(const record::agent::HostReport& report);

// An sh script with the command of each finding, without duplicates. A finding without a command
// becomes a comment.
std::string DoctorFixScript(const record::agent::HostReport& report);

// Returns kSuccess if the whole system can be recorded, kNoPrivilege if another user could,
// kCheckFailed if the kernel cannot.
ExitCode DoctorExitCode(const record::agent::HostReport& report);

}  // namespace flarestack::cli
