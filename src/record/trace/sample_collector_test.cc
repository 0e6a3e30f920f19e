// SPDX-License-Identifier: Apache-2.0
#include "record/trace/sample_collector.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/text/text.h"
#include "record/testing/memory_tables.h"

namespace flarestack::record::agent {
namespace {

std::string_view NameOf(SampleKind kind) {
  switch (kind) {
    case SampleKind::kOnCpu:
      return "cpu";
    case SampleKind::kSleep:
      return "sleep";
    case SampleKind::kDisk:
      return "disk";
    case SampleKind::kLock:
      return "lock";
    case SampleKind::kCounted:
      return "counted";
    case SampleKind::kRunQueue:
      break;
  }
  return "run_queue";
}

// One line per sample, sorted: "sleep thread 7 at 100 for 50".
std::string ToText(const SampleWindow& window) {
  std::vector<std::string> lines;
  for (const auto& [key, times] : window.samples) {
    for (size_t i = 0; i < times.times_ns.size(); ++i) {
      std::string line =
          base::StrCat(NameOf(key.kind), " thread ", key.tid, " at ", times.times_ns[i]);
      if (i < times.durations_ns.size())
        base::StrAppend(&line, " for ", times.durations_ns[i]);
      lines.push_back(line + "\n");
    }
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines)
    text += line;
  return text;
}

class SampleWindowTest : public ::testing::Test {
 protected:
  static Trace OnCpu(uint32_t tid, uint64_t time_ns) {
    return {.time_ns = time_ns,
            .pid = static_cast<uint32_t>(getpid()),
            .tid = tid,
            .comm = "thread",
            .user_frames = {1}};
  }
  static Trace Wait(uint32_t tid, uint64_t time_ns, bpf::wait_state state = bpf::WAIT_SLEEP) {
    Trace trace = OnCpu(tid, time_ns);
    trace.origin = bpf::ORIGIN_OFF_CPU;
    trace.wait = state;
    return trace;
  }

  testing::MemoryTables tables_;
  CodeFiles files_{tables_.tables()};
  Processes processes_{nullptr, &files_};
  ProcessResources resources_;
  runtime::FrameTable frames_;
  StackPool stacks_{{.files = &files_, .frames = &frames_}};
  SampleCollector collector_{&processes_, &resources_, &stacks_};
};

TEST_F(SampleWindowTest, RepeatsAreSamplesOfTheirTrace) {
  Trace trace = OnCpu(7, 100);
  trace.content = 42;
  collector_.OnTrace(trace);
  trace.time_ns = 150;  // complete again, and read before the repeats sent in between
  collector_.OnTrace(trace);
  collector_.OnRepeat({.time_ns = 110, .content = 42});
  collector_.BeginPeriod();
  collector_.OnRepeat({.time_ns = 160, .content = 42});
  EXPECT_EQ(collector_.sample_count(), 4u);
  EXPECT_EQ(collector_.lost_count(), 0u);
  const SampleWindow window = collector_.Take(200);
  ASSERT_EQ(window.samples.size(), 1u);
  EXPECT_EQ(window.samples.begin()->second.times_ns, (std::vector<uint64_t>{100, 110, 150, 160}));
}

TEST_F(SampleWindowTest, DropsAndCountsRepeatsOfUnknownTraces) {
  Trace trace = OnCpu(7, 100);
  trace.content = 42;
  collector_.OnTrace(trace);
  collector_.OnRepeat({.time_ns = 110, .content = 43});
  EXPECT_EQ(collector_.lost_count(), 1u);
  collector_.BeginPeriod();
  collector_.BeginPeriod();
  collector_.OnRepeat({.time_ns = 120, .content = 42});
  EXPECT_EQ(collector_.lost_count(), 2u);
  collector_.OnTrace(trace);
  collector_.Take(200);
  collector_.OnRepeat({.time_ns = 210, .content = 42});
  EXPECT_EQ(collector_.lost_count(), 3u);
}

// Repeats are read after other messages that were sent later.
TEST_F(SampleWindowTest, RepeatDoesNotEndALaterWait) {
  Trace trace = OnCpu(7, 100);
  trace.content = 42;
  collector_.OnTrace(trace);
  collector_.OnTrace(Wait(7, 120));
  collector_.OnRepeat({.time_ns = 110, .content = 42});
  collector_.OnWaitEnd({.tid = 7, .time_ns = 120, .wake_ns = 130, .run_ns = 130});
  EXPECT_EQ(ToText(collector_.Take(200)),
            "cpu thread 7 at 100\n"
            "cpu thread 7 at 110\n"
            "sleep thread 7 at 120 for 10\n");
}

TEST_F(SampleWindowTest, MergesSamplesThatDifferOnlyInTime) {
  collector_.OnTrace(OnCpu(7, 100));
  collector_.OnTrace(OnCpu(7, 110));
  collector_.OnTrace(OnCpu(8, 120));
  Trace elsewhere = OnCpu(7, 130);
  elsewhere.user_frames = {2};
  collector_.OnTrace(elsewhere);
  Trace renamed = OnCpu(7, 140);
  renamed.comm = "other";
  collector_.OnTrace(renamed);
  EXPECT_EQ(collector_.sample_count(), 5u);
  const SampleWindow window = collector_.Take(200);
  EXPECT_EQ(window.samples.size(), 4u);
  EXPECT_EQ(window.owners.size(), 1u);
  EXPECT_EQ(window.on_cpu_count, 5u);
  EXPECT_EQ(ToText(window),
            "cpu thread 7 at 100\ncpu thread 7 at 110\ncpu thread 7 at 130\ncpu thread 7 at 140\n"
            "cpu thread 8 at 120\n");
}

TEST_F(SampleWindowTest, WindowsAreContiguous) {
  collector_.Take(100);
  collector_.OnTrace(OnCpu(7, 150));
  const SampleWindow first = collector_.Take(200);
  EXPECT_EQ(first.begin_ns, 100u);
  EXPECT_EQ(first.end_ns, 200u);
  const SampleWindow second = collector_.Take(300);
  EXPECT_EQ(second.begin_ns, 200u);
  EXPECT_TRUE(second.samples.empty());
  EXPECT_TRUE(second.owners.empty());
}

TEST_F(SampleWindowTest, SplitsAWaitAtTheWakeup) {
  collector_.OnTrace(Wait(7, 100));
  collector_.OnWaitEnd({.tid = 7, .time_ns = 100, .wake_ns = 150, .run_ns = 160});
  EXPECT_EQ(ToText(collector_.Take(200)),
            "run_queue thread 7 at 150 for 10\nsleep thread 7 at 100 for 50\n");
  EXPECT_EQ(ToText(collector_.Take(300)), "");
}

TEST_F(SampleWindowTest, SeparatesStates) {
  collector_.OnTrace(Wait(1, 100, bpf::WAIT_DISK));
  collector_.OnTrace(Wait(2, 100, bpf::WAIT_LOCK));
  collector_.OnTrace(Wait(3, 100, bpf::WAIT_PREEMPTED));
  for (const uint32_t tid : {1u, 2u})
    collector_.OnWaitEnd({.tid = tid, .time_ns = 100, .wake_ns = 120, .run_ns = 120});
  // A thread that was runnable all the time is woken when it leaves its CPU.
  collector_.OnWaitEnd({.tid = 3, .time_ns = 100, .wake_ns = 100, .run_ns = 120});
  EXPECT_EQ(ToText(collector_.Take(200)),
            "disk thread 1 at 100 for 20\nlock thread 2 at 100 for 20\n"
            "run_queue thread 3 at 100 for 20\n");
}

TEST_F(SampleWindowTest, ReportsAnOngoingWaitInParts) {
  collector_.OnTrace(Wait(7, 100));
  EXPECT_EQ(ToText(collector_.Take(200)), "sleep thread 7 at 100 for 100\n");
  EXPECT_EQ(ToText(collector_.Take(300)), "sleep thread 7 at 200 for 100\n");
  collector_.OnWaitEnd({.tid = 7, .time_ns = 100, .wake_ns = 350, .run_ns = 360});
  EXPECT_EQ(ToText(collector_.Take(400)),
            "run_queue thread 7 at 350 for 10\nsleep thread 7 at 300 for 50\n");
}

// The time up to 200 was already reported as sleep, so it is not reported twice.
TEST_F(SampleWindowTest, LateWakeupDoesNotCountTwice) {
  collector_.OnTrace(Wait(7, 100));
  EXPECT_EQ(ToText(collector_.Take(200)), "sleep thread 7 at 100 for 100\n");
  collector_.OnWaitEnd({.tid = 7, .time_ns = 100, .wake_ns = 150, .run_ns = 260});
  EXPECT_EQ(ToText(collector_.Take(300)), "run_queue thread 7 at 200 for 60\n");
}

// The message is read after the window was taken, but the wait had ended before.
TEST_F(SampleWindowTest, WaitThatEndedBeforeTheLastWindowIsOver) {
  collector_.OnTrace(Wait(7, 100));
  collector_.Take(200);
  collector_.OnWaitEnd({.tid = 7, .time_ns = 100, .wake_ns = 180, .run_ns = 190});
  EXPECT_EQ(ToText(collector_.Take(300)), "");
}

TEST_F(SampleWindowTest, IgnoresImplausibleTimes) {
  collector_.OnTrace(Wait(7, 100));
  collector_.OnWaitEnd({.tid = 7, .time_ns = 100, .wake_ns = 50, .run_ns = 150});
  EXPECT_EQ(ToText(collector_.Take(200)), "run_queue thread 7 at 100 for 50\n");
}

TEST_F(SampleWindowTest, ScalesSampledWaitsByTheirProbability) {
  Trace trace = Wait(7, 100);
  trace.probability = 65536 / 4;
  collector_.OnTrace(trace);
  collector_.OnWaitEnd({.tid = 7, .time_ns = 100, .wake_ns = 150, .run_ns = 150});
  EXPECT_EQ(ToText(collector_.Take(200)), "sleep thread 7 at 100 for 200\n");
  trace.probability = 0;  // never sent; must not divide by zero
  collector_.OnTrace(trace);
  collector_.OnWaitEnd({.tid = 7, .time_ns = 100, .wake_ns = 101, .run_ns = 101});
  EXPECT_EQ(ToText(collector_.Take(200)), "sleep thread 7 at 100 for 65536\n");
}

TEST_F(SampleWindowTest, IgnoresTheEndOfAnotherWait) {
  collector_.OnTrace(Wait(7, 100));
  collector_.OnWaitEnd({.tid = 7, .time_ns = 99, .wake_ns = 150, .run_ns = 150});
  collector_.OnWaitEnd({.tid = 8, .time_ns = 100, .wake_ns = 150, .run_ns = 150});
  EXPECT_EQ(ToText(collector_.Take(200)), "sleep thread 7 at 100 for 100\n");
}

TEST_F(SampleWindowTest, LateWaitEndEndsBeforeTheNextOnCpuSample) {
  collector_.OnTrace(Wait(7, 100));
  collector_.OnTrace(OnCpu(7, 160));
  collector_.OnTrace(OnCpu(7, 170));
  collector_.OnWaitEnd({.tid = 7, .time_ns = 100, .wake_ns = 150, .run_ns = 155});
  EXPECT_EQ(ToText(collector_.Take(200)),
            "cpu thread 7 at 160\n"
            "cpu thread 7 at 170\n"
            "run_queue thread 7 at 150 for 5\n"
            "sleep thread 7 at 100 for 50\n");
}

TEST_F(SampleWindowTest, RunningThreadNoLongerWaits) {
  collector_.OnTrace(Wait(7, 100));
  collector_.OnTrace(OnCpu(7, 160));
  EXPECT_EQ(ToText(collector_.Take(200)), "cpu thread 7 at 160\nsleep thread 7 at 100 for 60\n");
  EXPECT_EQ(ToText(collector_.Take(300)), "");
}

TEST_F(SampleWindowTest, ThreadsOfAnEndedProcessNoLongerWait) {
  collector_.OnTrace(Wait(7, 100));
  collector_.ClearWaits(getpid() + 1);
  EXPECT_EQ(ToText(collector_.Take(200)), "sleep thread 7 at 100 for 100\n");
  collector_.ClearWaits(getpid());
  EXPECT_EQ(ToText(collector_.Take(300)), "");
}

TEST_F(SampleWindowTest, EnforcesTheMemoryLimit) {
  collector_.OnTrace(OnCpu(1, 1));
  const uint64_t bytes = collector_.Take(100).bytes;
  ASSERT_GT(bytes, sizeof(uint64_t));
  // Space for two samples and one more time.
  SampleCollector collector(&processes_, &resources_, &stacks_,
                            {.bytes_max = 2 * bytes + sizeof(uint64_t)});
  EXPECT_FALSE(collector.is_filling());
  for (uint32_t tid = 1; tid <= 4; ++tid)
    collector.OnTrace(OnCpu(tid, tid));
  EXPECT_TRUE(collector.is_filling());
  collector.OnTrace(OnCpu(1, 9));
  EXPECT_EQ(collector.lost_count(), 2u);
  EXPECT_EQ(ToText(collector.Take(100)),
            "cpu thread 1 at 1\ncpu thread 1 at 9\ncpu thread 2 at 2\n");
  collector.OnTrace(OnCpu(4, 110));
  EXPECT_EQ(collector.lost_count(), 2u) << "there is room again";
  EXPECT_FALSE(collector.is_filling());
}

// A program may have any number of goroutines, and of labels.
TEST_F(SampleWindowTest, RecordsOfGoroutinesCountForTheMemoryLimit) {
  constexpr uint64_t kBytesMax = 64 << 10;
  constexpr size_t kRecordBytes = 1000;
  SampleCollector collector(&processes_, &resources_, &stacks_, {.bytes_max = kBytesMax});
  Trace trace = OnCpu(1, 1);
  for (int i = 0; i < 1000; ++i) {
    trace.goroutine = std::to_string(i) + std::string(kRecordBytes, 'x');
    collector.OnTrace(trace);
  }
  EXPECT_GT(collector.lost_count(), 900u);
  const SampleWindow window = collector.Take(100);
  EXPECT_GT(window.samples.size(), 10u);
  EXPECT_LT(window.samples.size(), kBytesMax / kRecordBytes);
}

TEST_F(SampleWindowTest, EnforcesTheWaitLimit) {
  SampleCollector collector(&processes_, &resources_, &stacks_, {.waits_max = 1});
  collector.OnTrace(Wait(1, 100));
  collector.OnTrace(Wait(2, 100));
  EXPECT_EQ(collector.lost_count(), 1u);
  EXPECT_EQ(ToText(collector.Take(200)), "sleep thread 1 at 100 for 100\n");
}

}  // namespace
}  // namespace flarestack::record::agent
