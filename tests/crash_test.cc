// SPDX-License-Identifier: Apache-2.0
//
// A writer sends numbered samples, and the server is killed meanwhile: every acknowledged sample is
// stored exactly once, and any other at most once.
//
// Every other sample is two hours late, so that it arrives in an hour that is already rolled up: a
// server rolls up hours when it starts, and reads whole hours from roll-ups.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "base/sanitized.h"
#include "base/testing/eventually.h"
#include "base/text.h"
#include "otlp_messages.h"
#include "run_program.h"
#include "server_process.h"

namespace flarestack::testing {
namespace {

int Rounds() {
  const char* const wanted = std::getenv("FLARESTACK_CRASH_ROUNDS");
  return wanted != nullptr ? std::atoi(wanted) : (base::kIsSanitized ? 10 : 50);
}

TEST(Crash, LosesNoAcknowledgedData) {
  const TemporaryFolder folder;
  std::mt19937 random(20);
  const uint64_t time = base::NowNanos();
  const uint64_t late = time - 2 * base::kNanosPerHour;
  uint64_t next = 0;  // all smaller numbers are acknowledged
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
    ASSERT_LE(before.size(), next + 1);  // one may have been in flight when the server was killed

    // Kill the server once this many were sent, at any point of their processing.
    std::atomic<uint64_t> begun = next;
    const uint64_t kill_at = next + 1 + random() % 12;
    std::thread killer([&] {
      EXPECT_TRUE(base::testing::Eventually([&] { return begun.load() >= kill_at; }));
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
  EXPECT_GT(next, static_cast<uint64_t>(rounds));  // there was data to lose
}

constexpr uint64_t kNamesPerMessage = 1'000;

// A message with new names, and with those of the previous message.
std::string MessageOfNames(uint64_t number) {
  std::vector<std::string> lines;
  for (uint64_t of = number - std::min<uint64_t>(number, 1); of <= number; ++of) {
    for (uint64_t i = 0; i < kNamesPerMessage; ++i)
      lines.push_back(base::StrCat("main;of_", of, "_", i, " 1"));
  }
  return ToProtobuf(OneProfile("names", lines));
}

// How often the names of each message are stored. All names of a message must have the same count.
std::map<uint64_t, int> CountsOfNames(const ServerProcess& server) {
  const Answer answer =
      Get(base::StrCat(server.http(), "/api/v1/export?format=folded&from=now-1d&to=now%2B1d"));
  EXPECT_TRUE(answer.status == 200 || answer.status == 404) << answer.status << answer.body;
  std::map<uint64_t, int> counts;
  std::map<uint64_t, uint64_t> names;
  std::istringstream lines(answer.status == 200 ? answer.body : "");
  for (std::string line; std::getline(lines, line);) {
    const uint64_t number = std::strtoull(line.c_str() + line.find("of_") + 3, nullptr, 10);
    const int count = std::atoi(line.c_str() + line.rfind(' '));
    const auto [at, is_new] = counts.emplace(number, count);
    EXPECT_EQ(at->second, count) << line;
    ++names[number];
  }
  for (const auto& [number, name_count] : names)
    EXPECT_EQ(name_count, kNamesPerMessage) << number;
  return counts;
}

// With a small disk limit, ids of entries are written every few messages (rocks/id_index.h), so
// that kills hit all steps of it. An entry that survives a kill must keep its name.
TEST(Crash, NewSymbolsKeepTheirNames) {
  const TemporaryFolder folder;
  std::mt19937 random(21);
  std::set<uint64_t> acknowledged;
  uint64_t next = 0;
  const int rounds = base::kIsSanitized ? 3 : 8;
  for (int round = 0; round <= rounds; ++round) {
    ServerProcess server(folder.File("data"), {"--disk-limit", "64MiB"});
    ASSERT_TRUE(server.is_running()) << server.log();
    std::map<uint64_t, int> counts = CountsOfNames(server);
    for (const uint64_t number : acknowledged) {
      const int sure = acknowledged.contains(number + 1) ? 2 : 1;
      EXPECT_GE(counts[number], sure) << number;
      EXPECT_LE(counts[number], 2) << number;
    }
    if (round == rounds)
      break;
    std::atomic<uint64_t> begun = next;
    const uint64_t kill_at = next + 1 + random() % 12;
    std::thread killer([&] {
      EXPECT_TRUE(base::testing::Eventually([&] { return begun.load() >= kill_at; }));
      for (volatile uint32_t spin = static_cast<uint32_t>(random()) % 20'000'000; spin > 0;)
        spin = spin - 1;
      server.Kill();
    });
    bool is_there = true;
    while (is_there) {
      const uint64_t number = next++;
      begun.store(number + 1);
      is_there = Send({.url = server.otlp_http() + "/v1/profiles", .body = MessageOfNames(number)})
                     .status == 200;
      if (is_there)
        acknowledged.insert(number);
    }
    killer.join();
  }
  EXPECT_GT(acknowledged.size(), static_cast<size_t>(rounds));
}

}  // namespace
}  // namespace flarestack::testing
