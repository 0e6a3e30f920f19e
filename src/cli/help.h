// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace flarestack::cli {

// What the program says when it is called alone.
void PrintOverview();

// Four lines, for who starts the program without a word.
void PrintFirstSteps();

}  // namespace flarestack::cli
