// SPDX-License-Identifier: Apache-2.0
//
// Builds the setcap command that gives this program the capabilities it lacks, as far as this host
// allows. A file with a capability outside the bounding set cannot be executed at all, not even by
// root, so such a capability must never be proposed.
#pragma once

#include <string>

#include "record/host/host_facts.h"

namespace flarestack::record::agent {

// Returns one command that grants `needed` and every other grantable capability that recording
// uses. Empty if a file cannot grant `needed`; WhyNotGranted has the reason.
std::string GrantCommand(const HostFacts& facts, Capability needed);

// Returns why no command grants `needed`, and who could grant it. Empty if GrantCommand has a
// command.
std::string WhyNotGranted(const HostFacts& facts, Capability needed);

// "CAP_BPF".
std::string CapabilityName(Capability capability);

}  // namespace flarestack::record::agent
