// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "cli/flame/flame_view.h"

namespace flarestack::cli {

// Shows the flame graph on the whole terminal until the user quits. Returns the exit code. Restores
// the terminal, also when a signal ends the program. `head` has one or more lines; a low terminal
// shows only the first.
int RunFlameScreen(const FlameView& view, FlameState state, std::span<const std::string> head);

}  // namespace flarestack::cli
