// SPDX-License-Identifier: Apache-2.0
//
// The setcap command that gives this program the capabilities it lacks, as far as they can be had
// here. A file with a capability outside the bounding set cannot be executed at all, not even by
// root, so such a capability must never be proposed.
#pragma once

#include <string>

#include "record/host/host_facts.h"

namespace flarestack::record::agent {

// One command that grants `needed` and every other capability that recording uses and that can be
// granted. Empty when `needed` cannot be granted by a file; WhyNotGranted has the reason.
std::string GrantCommand(const HostFacts& facts, Capability needed);

// Why no command grants `needed`, and who could. Empty when GrantCommand has one.
std::string WhyNotGranted(const HostFacts& facts, Capability needed);

// "CAP_BPF".
std::string CapabilityName(Capability capability);

}  // namespace flarestack::record::agent
