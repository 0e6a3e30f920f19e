// SPDX-License-Identifier: Apache-2.0
//
// The findings of `flarestack check` as people and programs read them.
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
  absl::Status status;      // why it could not be checked, or OK
  check::FileReport found;  // when it could
};

// With colours for a terminal where `has_colours` is set.
std::string FormatFindings(std::span<const CheckedFile> files, ReportFormat format,
                           bool has_colours);

// The table of rules, and all there is to say about one.
std::string FormatRules(ReportFormat format);
std::string FormatRule(const check::RuleInfo& rule);

}  // namespace flarestack::cli
