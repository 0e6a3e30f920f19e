// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "cli/flame/flame_view.h"

namespace flarestack::cli {

// The flame graph on the whole terminal, until the user leaves. Answers the exit code. The terminal
// is put back as it was, also when a signal ends the program. `head` is one line or more; on a low
// terminal only the first is shown.
int RunFlameScreen(const FlameView& view, FlameState state, std::span<const std::string> head);

}  // namespace flarestack::cli
