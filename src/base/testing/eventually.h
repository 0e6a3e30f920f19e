// SPDX-License-Identifier: Apache-2.0
//
// Waits for other threads and processes in a test:
//
//   ASSERT_TRUE(Eventually([&] { return server->stats().connections == 0; }));
#pragma once

#include <chrono>
#include <thread>

namespace flarestack::base::testing {

// Returns true as soon as the condition is true, false after two minutes: then the test fails
// instead of hanging.
template <typename Condition>
[[nodiscard]] bool Eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline)
      return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace flarestack::base::testing
