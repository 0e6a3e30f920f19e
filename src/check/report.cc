// SPDX-License-Identifier: Apache-2.0
#include "check/report.h"

#include <algorithm>
#include <utility>

#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::check {

void Collector::Add(Rule rule, Severity severity, const Path& path, MakeMessage message) {
  RuleFindings& found = found_[static_cast<size_t>(rule)];
  ++severity_counts_[static_cast<size_t>(severity)];
  found.severity = found.count == 0 ? severity : std::min(found.severity, severity);
  ++found.count;
  if (keeps(rule))
    found.kept.push_back({.severity = severity, .path = path.Text(), .message = message()});
}

void Collector::Append(Collector&& later) {
  for (size_t i = 0; i < kRuleCount; ++i) {
    RuleFindings& found = found_[i];
    RuleFindings& added = later.found_[i];
    if (added.count == 0)
      continue;
    found.severity = found.count == 0 ? added.severity : std::min(found.severity, added.severity);
    found.count += added.count;
    for (Finding& finding : added.kept) {
      if (!keeps(static_cast<Rule>(i)))
        break;
      found.kept.push_back(std::move(finding));
    }
  }
  for (size_t i = 0; i < severity_counts_.size(); ++i)
    severity_counts_[i] += later.severity_counts_[i];
}

Report Collector::Finish() && {
  Report report;
  report.error_count = severity_counts_[static_cast<size_t>(Severity::kError)];
  report.warning_count = severity_counts_[static_cast<size_t>(Severity::kWarning)];
  report.info_count = severity_counts_[static_cast<size_t>(Severity::kInfo)];
  for (size_t i = 0; i < kRuleCount; ++i) {
    if (found_[i].count == 0)
      continue;
    found_[i].rule = static_cast<Rule>(i);
    report.rules.push_back(std::move(found_[i]));
  }
  return report;
}

std::string Quote(std::string_view text) {
  constexpr size_t kShownBytes = 80;
  const bool is_long = text.size() > kShownBytes;
  std::string shown = "\"";
  for (const char c : base::ToValidUtf8(text.substr(0, kShownBytes))) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x20 || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown + (is_long ? "...\"" : "\"");
}

}  // namespace flarestack::check
