// SPDX-License-Identifier: Apache-2.0
#include "record/host/host_check.h"

#include <algorithm>
#include <utility>

#include "record/host/host_findings.h"

namespace flarestack::record::agent {

std::string_view FindingLevelName(FindingLevel level) {
  switch (level) {
    case FindingLevel::kOk:
      return "ok";
    case FindingLevel::kLimited:
      return "limited";
    case FindingLevel::kMissing:
      return "missing";
  }
  return "missing";
}

std::string_view RecordModeName(RecordMode mode) {
  switch (mode) {
    case RecordMode::kNothing:
      return "nothing";
    case RecordMode::kOwnProcesses:
      return "own-processes";
    case RecordMode::kWholeSystem:
      return "whole-system";
  }
  return "nothing";
}

bool HostReport::LacksPrivilege() const {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.level == FindingLevel::kMissing && finding.is_privilege;
  });
}

HostReport CheckHost(const HostFacts& facts, const HostProbe& probe) {
  HostReport report;
  std::vector<Finding>& findings = report.findings;
  findings = {CheckKernel(facts), CheckTypes(facts)};
  for (Finding& finding : CheckCapabilities(facts))
    findings.push_back(std::move(finding));
  findings.push_back(CheckPerfEvents(facts, probe));
  findings.push_back(CheckOwnPerfEvents(facts, probe));
  findings.push_back(CheckCounters(probe));
  findings.push_back(CheckBpf(facts, probe));
  findings.push_back(CheckUnprivilegedBpf(facts));
  findings.push_back(CheckLockdown(facts));
  findings.push_back(CheckKernelNames(facts));
  findings.push_back(CheckLockedMemory(facts));
  findings.push_back(CheckPidNamespace(facts));
  findings.push_back(CheckCgroups(facts));
  findings.push_back(CheckProcesses(facts));
  findings.push_back(CheckSymbolSources(facts));
  const bool is_whole = std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.level == FindingLevel::kMissing;
  });
  if (is_whole)
    report.mode = RecordMode::kWholeSystem;
  else if (probe.cpu_clock_own == 0)
    report.mode = RecordMode::kOwnProcesses;
  return report;
}

}  // namespace flarestack::record::agent
