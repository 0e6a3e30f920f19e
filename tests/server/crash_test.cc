// SPDX-License-Identifier: Apache-2.0
//
// Writers send numbered samples while the server is killed: every acknowledged sample is
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
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/sanitized.h"
#include "base/testing/eventually.h"
#include "base/text/text.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

int Rounds() {
  const char* const wanted = std::getenv("FLARESTACK_CRASH_ROUNDS");
  return wanted != nullptr ? std::atoi(wanted) : (base::kIsSanitized ? 10 : 50);
}

constexpr int kWriters = 4;

// Several writers with one request in flight each. Numbers are sent once.
class Writers {
 public:
  Writers(std::string url, uint64_t first) : url_(std::move(url)), next_(first) {
    for (int i = 0; i < kWriters; ++i)
      threads_.emplace_back([this] { Write(); });
  }
  ~Writers() {
    for (std::thread& thread : threads_)
      thread.join();
  }

  // All numbers below were sent.
  uint64_t next() const { return next_; }
  // Call it when the server is gone.
  std::set<uint64_t> TakeAcknowledged() {
    for (std::thread& thread : threads_)
      thread.join();
    threads_.clear();
    return std::move(acknowledged_);
  }

 private:
  void Write() {
    while (true) {
      const uint64_t number = next_++;
      const std::string message = NumberedMessage(number, number % 2 == 0 ? time_ : late_);
      if (Send({.url = url_, .body = message}).status != 200)
        return;
      const base::MutexLock lock(mutex_);
      acknowledged_.insert(number);
    }
  }

  const std::string url_;
  const uint64_t time_ = base::NowNanos();
  const uint64_t late_ = time_ - 2 * base::kNanosPerHour;
  std::atomic<uint64_t> next_;
  base::Mutex mutex_;
  std::set<uint64_t> acknowledged_ FLARE_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;
};

TEST(Crash, LosesNothingThatWasAcknowledged) {
  const TemporaryFolder folder;
  std::mt19937 random(20);
  std::set<uint64_t> acknowledged;
  uint64_t next = 0;
  const int rounds = Rounds();
  for (int round = 0; round <= rounds; ++round) {
    ServerProcess server(folder.File("data"));
    ASSERT_TRUE(server.is_running()) << server.log();
    const std::map<uint64_t, int> stored = NumberedCounts(server);
    for (const uint64_t number : acknowledged)
      ASSERT_TRUE(stored.contains(number)) << "lost " << number << " in round " << round;
    for (const auto& [number, count] : stored) {
      ASSERT_EQ(count, 1) << "twice " << number << " in round " << round;
      ASSERT_LT(number, next);
    }
    if (round == rounds)
      break;
    // Kill the server once this many were sent, at any point of their processing.
    const uint64_t kill_at = next + 1 + random() % 24;
    Writers writers(server.otlp_http() + "/v1/profiles", next);
    EXPECT_TRUE(base::testing::Eventually([&] { return writers.next() >= kill_at; }));
    for (volatile uint32_t spin = static_cast<uint32_t>(random()) % 2'000'000; spin > 0;)
      spin = spin - 1;
    server.Kill();
    acknowledged.merge(writers.TakeAcknowledged());
    next = writers.next();
  }
  EXPECT_GT(acknowledged.size(), static_cast<size_t>(rounds));  // there was data to lose
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
  const Answer response =
      Get(base::StrCat(server.http(), "/api/v1/export?format=folded&from=now-1d&to=now%2B1d"));
  EXPECT_TRUE(response.status == 200 || response.status == 404) << response.status << response.body;
  std::map<uint64_t, int> counts;
  std::map<uint64_t, uint64_t> names;
  std::istringstream lines(response.status == 200 ? response.body : "");
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

// With a small disk limit, ids of entries are written every few messages
// (store/rocks/dictionary/id_index.h), so that kills hit all steps of it. An entry that survives a
// kill must keep its name.
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
