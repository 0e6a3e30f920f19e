// SPDX-License-Identifier: Apache-2.0
//
// Formats the findings of doctor for people, programs and shells.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/command/exit_code.h"
#include "cli/record/runtime_survey.h"
#include "record/host/host_check.h"

namespace flarestack::cli {

// What a short recording showed; nullopt if there was none.
using SurveyResult = std::optional<absl::StatusOr<RuntimeSurvey>>;

std::string DoctorText(const record::agent::HostReport& report, const SurveyResult& survey);

// {"schema": "flarestack.doctor/1", ...}
std::string DoctorJson(const record::agent::HostReport& report, const SurveyResult& survey);

// An sh script with the command of each finding, without duplicates. A finding without a command
// becomes a comment.
std::string DoctorFixScript(const record::agent::HostReport& report);

// Returns kSuccess if the whole system can be recorded, kNoPrivilege if another user could,
// kCheckFailed if the kernel cannot, or if the recording failed.
ExitCode DoctorExitCode(const record::agent::HostReport& report, const SurveyResult& survey);

}  // namespace flarestack::cli
