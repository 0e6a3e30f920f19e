// SPDX-License-Identifier: Apache-2.0
//
// What can be recorded on this host, what stands in the way, and the command that mends it.
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
  kLimited,  // recording works, and something is missing in what it shows
  kMissing,  // the whole system cannot be recorded
};
std::string_view FindingLevelName(FindingLevel level);  // "ok", "limited", "missing"

struct Finding {
  std::string id;  // "perf-events"; scripts depend on it
  FindingLevel level = FindingLevel::kOk;
  std::string what;           // as it is here
  std::string why = {};       // what is lost by it; empty when all is well
  std::string fix = {};       // one command for a shell; empty: there is none
  bool is_privilege = false;  // another user, or other flags of a container, would have it
};

enum class RecordMode : uint8_t { kNothing, kOwnProcesses, kWholeSystem };
std::string_view RecordModeName(RecordMode mode);  // "nothing", "own-processes", "whole-system"

struct HostReport {
  RecordMode mode = RecordMode::kNothing;
  std::vector<Finding> findings;  // always the same ones, in the same order

  // Some privilege is missing, so that it is worth to try as another user.
  bool LacksPrivilege() const;
};

HostReport CheckHost(const HostFacts& facts, const HostProbe& probe);

}  // namespace flarestack::record::agent
