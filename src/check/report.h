// SPDX-License-Identifier: Apache-2.0
//
// What a check has found, by rule. Of each rule the first few findings are kept, the rest is
// counted.
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
  std::string message;  // what is wrong and what would be right; printable UTF-8
};

struct RuleFindings {
  Rule rule = Rule::kCount;
  Severity severity = Severity::kInfo;  // the worst of its findings
  uint64_t count = 0;                   // of all, kept or not
  std::vector<Finding> kept;
};

struct Report {
  uint64_t error_count = 0;
  uint64_t warning_count = 0;
  uint64_t info_count = 0;
  std::vector<RuleFindings> rules;  // in the order of the table, those with findings

  uint64_t count() const { return error_count + warning_count + info_count; }
};

// Gathers findings. Paths and messages are made only for findings that are kept.
class Collector {
 public:
  // 0 keeps all.
  explicit Collector(uint64_t kept_per_rule_max) : kept_per_rule_max_(kept_per_rule_max) {}

  using MakeMessage = absl::FunctionRef<std::string()>;
  void Add(Rule rule, const Path& path, MakeMessage message) {
    Add(rule, Info(rule).severity, path, message);
  }
  void Add(Rule rule, Severity severity, const Path& path, MakeMessage message);

  // Whether the next finding would be kept: where its path has to be made beforehand.
  bool keeps(Rule rule) const {
    return kept_per_rule_max_ == 0 ||
           found_[static_cast<size_t>(rule)].kept.size() < kept_per_rule_max_;
  }

  uint64_t count(Rule rule) const { return found_[static_cast<size_t>(rule)].count; }

  // What another collector found, behind what this one has: the same as if it had been added here.
  void Append(Collector&& later);

  Report Finish() &&;

 private:
  uint64_t kept_per_rule_max_;
  std::array<RuleFindings, kRuleCount> found_;
  std::array<uint64_t, 3> severity_counts_ = {};
};

// Text from a message in quotes: printable, and cut when it is long.
std::string Quote(std::string_view text);

}  // namespace flarestack::check
