// SPDX-License-Identifier: Apache-2.0
//
// The individual findings of host_check.h, one function each.
#pragma once

#include <string>
#include <vector>

#include "record/host/host_check.h"
#include "record/host/host_facts.h"

namespace flarestack::record::agent {

// Privileges of this process (host_privileges.cc).
std::vector<Finding> CheckCapabilities(const HostFacts& facts);
Finding CheckPerfEvents(const HostFacts& facts, const HostProbe& probe);
Finding CheckOwnPerfEvents(const HostFacts& facts, const HostProbe& probe);
Finding CheckCounters(const HostProbe& probe);
Finding CheckBpf(const HostFacts& facts, const HostProbe& probe);
Finding CheckKernelNames(const HostFacts& facts);
Finding CheckLockedMemory(const HostFacts& facts);

// The kernel and its environment (host_surroundings.cc).
Finding CheckKernel(const HostFacts& facts);
Finding CheckTypes(const HostFacts& facts);
Finding CheckUnprivilegedBpf(const HostFacts& facts);
Finding CheckLockdown(const HostFacts& facts);
Finding CheckPidNamespace(const HostFacts& facts);
Finding CheckCgroups(const HostFacts& facts);
Finding CheckProcesses(const HostFacts& facts);
Finding CheckSymbolSources(const HostFacts& facts);

// Returns one setcap command that grants this program `needed` and every other grantable capability
// that recording uses. Never proposes a capability outside the bounding set: a file with one cannot
// be executed at all, not even by root. Empty if a file cannot grant `needed`; WhyNotGranted has
// the reason. Implemented in host_grant.cc.
std::string GrantCommand(const HostFacts& facts, Capability needed);

// Returns why no command grants `needed`, and who could grant it. Empty if GrantCommand has a
// command.
std::string WhyNotGranted(const HostFacts& facts, Capability needed);

// "CAP_BPF".
std::string CapabilityName(Capability capability);

}  // namespace flarestack::record::agent
