// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/flame_view.h"

namespace flarestack::cli {

// The flame graph on the whole terminal, until the user leaves. Answers the exit code. The terminal
// is put back as it was, also when a signal ends the program.
int RunFlameScreen(const FlameView& view, FlameState state, const std::string& headline,
                   std::string_view unit);

}  // namespace flarestack::cli
