// SPDX-License-Identifier: Apache-2.0
//
// A writer sends numbered samples, and the server is killed while they are on their way: every
// sample that was acknowledged is there exactly once, and one that was not is there once at most.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "base/byte_io.h"
#include "base/text.h"
#include "codec/otlp/protobuf_writer.h"
#include "run_program.h"
#include "server_process.h"
#include "store/testing/event_text.h"

namespace flarestack::testing {
namespace {

int Rounds() {
  const char* const wanted = std::getenv("FLARESTACK_CRASH_ROUNDS");
  return wanted != nullptr ? std::atoi(wanted) : (IsSanitized() ? 10 : 50);
}

// Each number is a profile of its own, with an id, so that sending it again does not count twice.
std::string Message(uint64_t number, uint64_t time) {
  std::string id = "numbered";
  base::AppendBigEndian(number, &id);
  const model::Batch batch =
      store::testing::MakeBatch({{.service = base::StrCat("s", number % 3),
                                  .time = time,
                                  .profile_id = id,
                                  .lines = {base::StrCat("main;n", number, " @", time + number)}}});
  codec::wire::ReverseWriter out(1024);
  codec::otlp::EncodeProtobuf(batch, &out);
  return std::string(out.view());
}

std::map<std::string, int> Counts(const ServerProcess& server) {
  std::map<std::string, int> counts;
  std::istringstream lines(
      Get(server.http() + "/api/v1/export?format=folded&from=now-1d&to=now%2B1d").body);
  std::string stack;
  int count = 0;
  while (lines >> stack >> count)
    counts[stack] += count;
  return counts;
}

TEST(Crash, LosesNothingThatWasAcknowledged) {
  const TemporaryFolder folder;
  std::mt19937 random(20);
  const auto time = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                              std::chrono::system_clock::now().time_since_epoch())
                                              .count());
  uint64_t next = 0;  // numbers below are acknowledged
  const int rounds = Rounds();
  for (int round = 0; round < rounds; ++round) {
    ServerProcess server(folder.File("data"));
    ASSERT_TRUE(server.is_running()) << server.log();
    const std::map<std::string, int> before = Counts(server);
    for (uint64_t number = 0; number < next; ++number) {
      const auto at = before.find(base::StrCat("main;n", number));
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
      const std::string message = Message(next, time);
      begun.store(next + 1);
      if (Send({.url = server.otlp_http() + "/v1/profiles", .body = message}).status != 200)
        break;
      ++next;
    }
    killer.join();
  }
  ServerProcess server(folder.File("data"));
  const std::map<std::string, int> after = Counts(server);
  EXPECT_GE(after.size(), next);
  EXPECT_GT(next, static_cast<uint64_t>(rounds));  // there was something to lose
}

}  // namespace
}  // namespace flarestack::testing
