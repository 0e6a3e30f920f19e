// SPDX-License-Identifier: Apache-2.0
//
// Reports what can be recorded on this host, what prevents the rest, and the command that fixes it.
//
//   HostReport report = CheckHost(ReadHostFacts("", environment), ProbeHost());
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/host/host_facts.h"
#include "record/host/host_probe.h"

namespace flarestack::record::agent {

enum class FindingLevel : uint8_t {
  kOk,
  kLimited,  // recording works, but its output is incomplete
  kMissing,  // the whole system cannot be recorded
};
std::string_view FindingLevelName(FindingLevel level);  // "ok", "limited", "missing"

struct Finding {
  std::string id;  // "perf-events"; scripts depend on it
  FindingLevel level = FindingLevel::kOk;
  std::string what;           // the state found on this host
  std::string why = {};       // the consequence; empty if there is no problem
  std::string fix = {};       // one shell command; empty: none
  bool is_privilege = false;  // another user, or other container flags, would have it
};

enum class RecordMode : uint8_t { kNothing, kOwnProcesses, kWholeSystem };
std::string_view RecordModeName(RecordMode mode);  // "nothing", "own-processes", "whole-system"

struct HostReport {
  RecordMode mode = RecordMode::kNothing;
  std::vector<Finding> findings;  // always the same ones, in the same order

  // True if a privilege is missing, so that it is worth trying as another user.
  bool LacksPrivilege() const;
};

HostReport CheckHost(const HostFacts& facts, const HostProbe& probe);

}  // namespace flarestack::record::agent
