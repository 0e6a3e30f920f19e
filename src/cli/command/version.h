// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace flarestack::cli {

// "0.1.0"
std::string_view ProgramVersion();

}  // namespace flarestack::cli
