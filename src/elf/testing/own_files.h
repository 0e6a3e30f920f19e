// SPDX-License-Identifier: Apache-2.0
//
// Real ELF files that exist wherever a test runs: its own program and the C library it uses.
#pragma once

#include <string>

namespace flarestack::elf::testing {

std::string OwnProgramBytes();

// Found through the mappings of this process; empty if it is linked statically.
std::string CLibraryPath();

// Returns the output of a command; empty if it does not exist or fails.
std::string OutputOf(const std::string& command);

}  // namespace flarestack::elf::testing
