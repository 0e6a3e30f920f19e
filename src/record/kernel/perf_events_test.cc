// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/perf_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "base/text/encoding.h"
#include "elf/build_id.h"
#include "elf/elf_outline.h"

namespace flarestack::record::agent {
namespace {

using ::testing::ElementsAre;

constexpr const char* kProgram = "/bin/true";

TEST(AppendRingBytesTest, ReadsAWrappedRingInOrder) {
  const std::string_view data = "abcdefgh";
  const auto bytes = [&](uint64_t from, uint64_t to) {
    std::string out;
    AppendRingBytes(data, from, to, &out);
    return out;
  };
  EXPECT_EQ(bytes(0, 0), "");
  EXPECT_EQ(bytes(2, 5), "cde");
  EXPECT_EQ(bytes(5, 8), "fgh");
  EXPECT_EQ(bytes(6, 11), "ghabc");
  EXPECT_EQ(bytes(8, 16), "abcdefgh");
  EXPECT_EQ(bytes(13, 21), "fghabcde");
}

// Opens the events, or prints the reason for failure.
std::unique_ptr<PerfEvents> OpenOrExplain(const PerfEventsOptions& options) {
  auto perf_events = PerfEvents::Open(options);
  if (!perf_events.ok()) {
    std::printf("no process events from the kernel: %s\n",
                std::string(base::Message(perf_events.status())).c_str());
    return nullptr;
  }
  return *std::move(perf_events);
}

void RunProgram(std::string* written_pid) {
  const pid_t pid = fork();
  if (pid == 0) {
    execl(kProgram, kProgram, nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  ASSERT_EQ(status, 0);
  *written_pid = std::to_string(pid);
}

struct Story {
  std::vector<std::string> lines;
  std::string build_id;  // of the program
  std::vector<uint64_t> times;
};

// Collects the events of one process, without libraries.
Story StoryOf(PerfEvents* perf_events, const std::string& pid) {
  Story story;
  perf_events->Drain([&](const PerfEvent& event) {
    if (const auto* fork = std::get_if<ForkEvent>(&event.what);
        fork != nullptr && std::to_string(fork->pid) == pid) {
      story.lines.push_back(fork->is_thread() ? "thread" : "fork");
    } else if (const auto* comm = std::get_if<CommEvent>(&event.what);
               comm != nullptr && std::to_string(comm->pid) == pid) {
      story.lines.push_back(base::StrCat(comm->is_exec ? "exec " : "name ", comm->name));
    } else if (const auto* mmap = std::get_if<MmapEvent>(&event.what);
               mmap != nullptr && std::to_string(mmap->pid) == pid) {
      if (!mmap->path.ends_with("/true"))
        return;
      story.lines.push_back("program");
      story.build_id = base::HexEncode(mmap->build_id);
    } else if (const auto* exit = std::get_if<ExitEvent>(&event.what);
               exit != nullptr && std::to_string(exit->pid) == pid) {
      story.lines.push_back("exit");
    } else {
      return;
    }
    story.times.push_back(event.time_ns);
  });
  return story;
}

void ExpectWholeStory(PerfEvents* perf_events, const std::string& pid) {
  const Story story = StoryOf(perf_events, pid);
  EXPECT_THAT(story.lines, ElementsAre("fork", "exec true", "program", "exit"));
  EXPECT_TRUE(std::is_sorted(story.times.begin(), story.times.end()));
  EXPECT_EQ(perf_events->malformed_count(), 0u);
  if (!perf_events->has_build_ids())
    return;
  const auto outline = elf::ElfOutline::Read(kProgram);
  ASSERT_TRUE(outline.ok());
  EXPECT_EQ(story.build_id, elf::GnuBuildId(outline->file()));
}

TEST(PerfEventsTest, ReportsTheLifeOfAProcessInOrder) {
  // Large enough for all events of a busy machine while one process runs.
  const auto perf_events = OpenOrExplain({.ring_bytes = 4 << 20});
  if (perf_events == nullptr)
    GTEST_SKIP() << "needs CAP_PERFMON";
  std::string pid;
  RunProgram(&pid);
  ExpectWholeStory(perf_events.get(), pid);
}

TEST(PerfEventsTest, WatchesAProcessAndItsChildrenWithoutPrivileges) {
  const auto perf_events = OpenOrExplain({.pid = getpid()});
  if (perf_events == nullptr)
    GTEST_SKIP() << "kernel.perf_event_paranoid is above 2";
  std::string pid;
  RunProgram(&pid);
  ExpectWholeStory(perf_events.get(), pid);
}

TEST(PerfEventsTest, DescriptorIsReadableWhenThereAreEvents) {
  const auto perf_events = OpenOrExplain({.pid = getpid()});
  if (perf_events == nullptr)
    GTEST_SKIP() << "kernel.perf_event_paranoid is above 2";
  std::string pid;
  RunProgram(&pid);
  std::vector<pollfd> polled;
  for (const int fd : perf_events->fds())
    polled.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  EXPECT_GT(poll(polled.data(), polled.size(), 10'000), 0);
}

TEST(PerfEventsTest, RingWrapsManyTimesWithoutLoss) {
  const auto perf_events = OpenOrExplain({.pid = getpid(), .ring_bytes = 16384});
  if (perf_events == nullptr)
    GTEST_SKIP() << "kernel.perf_event_paranoid is above 2";
  char name_before[16] = {};
  prctl(PR_GET_NAME, name_before);
  std::vector<std::string> given;
  std::vector<std::string> reported;
  constexpr int kNamesPerRound = 50;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < kNamesPerRound; ++i) {
      given.push_back("n" + std::to_string(round * kNamesPerRound + i));
      prctl(PR_SET_NAME, given.back().c_str());
    }
    perf_events->Drain([&](const PerfEvent& event) {
      if (const auto* comm = std::get_if<CommEvent>(&event.what); comm != nullptr)
        reported.emplace_back(comm->name);
    });
  }
  prctl(PR_SET_NAME, name_before);
  EXPECT_EQ(reported, given);
  EXPECT_EQ(perf_events->lost_count(), 0u);
}

// Pins this thread to one CPU, so that its events go to one ring buffer.
class OnOneCpu {
 public:
  OnOneCpu() {
    sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
    sched_setaffinity(0, sizeof(one), &one);
  }
  ~OnOneCpu() { sched_setaffinity(0, sizeof(before_), &before_); }
  OnOneCpu(const OnOneCpu&) = delete;
  OnOneCpu& operator=(const OnOneCpu&) = delete;

 private:
  cpu_set_t before_ = {};
};

TEST(PerfEventsTest, FullRingReportsTheNumberOfLostEvents) {
  const OnOneCpu on_one_cpu;
  const auto perf_events = OpenOrExplain({.pid = getpid(), .ring_bytes = 16384});
  if (perf_events == nullptr)
    GTEST_SKIP() << "kernel.perf_event_paranoid is above 2";
  char name_before[16] = {};
  prctl(PR_GET_NAME, name_before);
  constexpr uint64_t kNames = 20'000;
  uint64_t reported_count = 0;
  for (uint64_t i = 0; i < kNames; ++i)
    prctl(PR_SET_NAME, "full");
  const auto count = [&](const PerfEvent& event) {
    reported_count += std::holds_alternative<CommEvent>(event.what) ? 1 : 0;
  };
  perf_events->Drain(count);
  prctl(PR_SET_NAME, name_before);  // the loss is reported before the next record that fits
  perf_events->Drain(count);
  EXPECT_GT(perf_events->lost_count(), 0u);
  EXPECT_EQ(reported_count + perf_events->lost_count(), kNames + 1);
}

TEST(PerfEventsTest, ProcessThatDoesNotExistIsAnError) {
  const auto perf_events = PerfEvents::Open({.pid = 0x7ffffffe});
  EXPECT_FALSE(perf_events.ok());
}

}  // namespace
}  // namespace flarestack::record::agent
