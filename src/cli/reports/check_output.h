// SPDX-License-Identifier: Apache-2.0
//
// Formats the findings of `flarestack check` for people and programs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "check/check.h"
#include "cli/output/report_format.h"

namespace flarestack::cli {

struct CheckedFile {
  std::string name;         // as given; "standard input" for "-"
  absl::Status status;      // OK, or why the file could not be checked
  check::FileReport found;  // only if status is OK
};

// `has_colours` adds terminal colours.
std::string FormatFindings(std::span<const CheckedFile> files, ReportFormat format,
                           bool has_colours);

// The table of rules, and the full description of one.
std::string FormatRules(ReportFormat format);
std::string FormatRule(const check::RuleInfo& rule);

}  // namespace flarestack::cli
