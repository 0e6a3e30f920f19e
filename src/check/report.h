// SPDX-License-Identifier: Apache-2.0
//
// The findings of a check, by rule. Keeps the first few findings of each rule and counts the rest.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "check/path.h"
#include "check/rule.h"

namespace flarestack::check {

struct Finding {
  Severity severity = Severity::kError;
  std::string path;     // empty for the message as a whole
  std::string message;  // what is wrong and how to fix it; printable UTF-8
};

struct RuleFindings {
  Rule rule = Rule::kCount;
  Severity severity = Severity::kInfo;  // the worst of its findings
  uint64_t count = 0;                   // all findings, kept or not
  std::vector<Finding> kept;
};

struct Report {
  uint64_t error_count = 0;
  uint64_t warning_count = 0;
  uint64_t info_count = 0;
  std::vector<RuleFindings> rules;  // only rules with findings, in the order of the table

  uint64_t count() const { return error_count + warning_count + info_count; }
};

// Collects findings. Builds paths and messages only for findings that are kept.
class Collector {
 public:
  // 0 keeps all.
  explicit Collector(uint64_t kept_per_rule_max) : kept_per_rule_max_(kept_per_rule_max) {}

  using MakeMessage = absl::FunctionRef<std::string()>;
  void Add(Rule rule, const Path& path, MakeMessage message) {
    Add(rule, Info(rule).severity, path, message);
  }
  void Add(Rule rule, Severity severity, const Path& path, MakeMessage message);

  // Whether the next finding would be kept. Use it if the path must be built in advance.
  bool keeps(Rule rule) const {
    return kept_per_rule_max_ == 0 ||
           found_[static_cast<size_t>(rule)].kept.size() < kept_per_rule_max_;
  }

  uint64_t count(Rule rule) const { return found_[static_cast<size_t>(rule)].count; }

  // Appends the findings of another collector, as if they had been added here.
  void Append(Collector&& later);

  Report Finish() &&;

 private:
  uint64_t kept_per_rule_max_;
  std::array<RuleFindings, kRuleCount> found_;
  std::array<uint64_t, 3> severity_counts_ = {};
};

// Quotes text from a message: makes it printable and truncates it if it is long.
std::string Quote(std::string_view text);

}  // namespace flarestack::check
