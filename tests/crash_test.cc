// SPDX-License-Identifier: Apache-2.0
//
// A writer sends numbered samples, and the server is killed while they are on their way: every
// sample that was acknowledged is there exactly once, and one that was not is there once at most.
// Every other sample is two hours late, so that it comes to an hour that is rolled up already: a
// server rolls up when it starts, and whole hours are answered from there.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

#include "base/clock.h"
#include "base/sanitized.h"
#include "otlp_messages.h"
#include "run_program.h"
#include "server_process.h"

namespace flarestack::testing {
namespace {

int Rounds() {
  const char* const wanted = std::getenv("FLARESTACK_CRASH_ROUNDS");
  return wanted != nullptr ? std::atoi(wanted) : (base::kIsSanitized ? 10 : 50);
}

TEST(Crash, LosesNothingThatWasAcknowledged) {
  const TemporaryFolder folder;
  std::mt19937 random(20);
  const uint64_t time = base::NowNanos();
  const uint64_t late = time - 2 * base::kNanosPerHour;
  uint64_t next = 0;  // numbers below are acknowledged
  const int rounds = Rounds();
  for (int round = 0; round < rounds; ++round) {
    ServerProcess server(folder.File("data"));
    ASSERT_TRUE(server.is_running()) << server.log();
    const std::map<uint64_t, int> before = NumberedCounts(server);
    for (uint64_t number = 0; number < next; ++number) {
      const auto at = before.find(number);
      ASSERT_TRUE(at != before.end()) << "lost " << number << " in round " << round;
      ASSERT_EQ(at->second, 1) << "twice " << number << " in round " << round;
    }
    ASSERT_LE(before.size(), next + 1);  // the one on its way when the server went

    // Killed as soon as so many were handed to the network, wherever the server is with them.
    std::atomic<uint64_t> begun = next;
    const uint64_t kill_at = next + 1 + random() % 12;
    std::thread killer([&] {
      while (begun.load() < kill_at)
        std::this_thread::yield();
      for (volatile uint32_t spin = static_cast<uint32_t>(random()) % 2'000'000; spin > 0;)
        spin = spin - 1;
      server.Kill();
    });
    while (true) {
      const std::string message = NumberedMessage(next, next % 2 == 0 ? time : late);
      begun.store(next + 1);
      if (Send({.url = server.otlp_http() + "/v1/profiles", .body = message}).status != 200)
        break;
      ++next;
    }
    killer.join();
  }
  ServerProcess server(folder.File("data"));
  const std::map<uint64_t, int> after = NumberedCounts(server);
  EXPECT_GE(after.size(), next);
  EXPECT_GT(next, static_cast<uint64_t>(rounds));  // there was something to lose
}

}  // namespace
}  // namespace flarestack::testing
