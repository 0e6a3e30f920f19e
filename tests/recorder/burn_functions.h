// SPDX-License-Identifier: Apache-2.0
//
// Functions that burn CPU time, for the programs that the tests record.
#pragma once

#include <string_view>

namespace flarestack::testing {

// CPU time of the thread. The loop has no calls in it that would take most of the time.
inline constexpr std::string_view kBurnPython = R"(
import sys, time

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for i in range(2000):
            pass

)";

// CPU time of the process.
inline constexpr std::string_view kBurnNode = R"(
function burn(milliseconds) {
  const end = process.cpuUsage().user + milliseconds * 1000;
  let sum = 0;
  while (process.cpuUsage().user < end) {
    for (let i = 0; i < 200000; i++) sum = (sum + i * 7) % 1000003;
  }
  return sum;
}
)";

}  // namespace flarestack::testing
