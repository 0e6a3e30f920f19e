// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace flarestack::cli {

// The overview that `flarestack --help` prints.
void PrintOverview();

// Four lines, for a call without arguments.
void PrintFirstSteps();

}  // namespace flarestack::cli
