// SPDX-License-Identifier: Apache-2.0
//
// The individual findings of host_check.h, one function each.
#pragma once

#include <string>
#include <vector>

#include "record/host/host_check.h"

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

}  // namespace flarestack::record::agent
