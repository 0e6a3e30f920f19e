// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace flarestack::cli {

// CLI11 takes -1 for the largest number there is, and so a number that is too large. It wants to
// hear what is wrong, or nothing.
std::string RefuseOddByteCount(const std::string& text);

}  // namespace flarestack::cli
