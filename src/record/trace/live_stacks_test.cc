// SPDX-License-Identifier: Apache-2.0
#include "record/trace/live_stacks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/testing/eventually.h"
#include "record/runtime/naming/languages.h"
#include "record/testing/memory_tables.h"

namespace flarestack::record::agent {
namespace {

using base::testing::Eventually;
using std::chrono::steady_clock;

constexpr char kPython[] = "/usr/bin/python3";

// A Python program that runs in a loop.
class LiveStacksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (access(kPython, X_OK) != 0)
      GTEST_SKIP() << kPython << " is not installed";
    child_ = fork();
    if (child_ == 0) {
      execl(kPython, kPython, "-S", "-c", "def spin():\n while True: pass\nspin()", nullptr);
      _exit(127);
    }
    ASSERT_GT(child_, 0);
    if (const absl::Status status = LiveStacks::Check(child_); !status.ok())
      GTEST_SKIP() << status;
    files_.SetRuntimeFinder(runtime::FindLanguage);
  }
  void TearDown() override {
    if (child_ <= 0)
      return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  // Whether the interpreter was found. It takes a moment to start.
  bool Attach() {
    return Eventually([&] {
      processes_.Learn(child_, steady_clock::now());
      runtimes_.Attach(child_, steady_clock::now());
      return runtimes_.Find(child_) != nullptr;
    });
  }

  OwnSample SampleAt(Time time) const {
    const auto since =
        std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch());
    return {.time_ns = static_cast<uint64_t>(since.count()),
            .pid = static_cast<uint32_t>(child_),
            .tid = static_cast<uint32_t>(child_)};
  }

  pid_t child_ = -1;
  testing::MemoryTables tables_{{.row_chunks = 128}};
  CodeFiles files_{tables_.tables()};
  Processes processes_{nullptr, &files_};
  runtime::FrameTable frame_table_;
  runtime::Runtimes runtimes_{&processes_, &files_, nullptr, &frame_table_};
};

TEST_F(LiveStacksTest, StackHasThePythonFramesOfAStoppedThread) {
  LiveStacks live(child_, &processes_, &files_, &runtimes_);
  std::vector<uint64_t> frames;
  EXPECT_FALSE(live.Walk(SampleAt(steady_clock::now()), steady_clock::now(), &frames).has_value());
  EXPECT_EQ(live.counts().missed(), 0u) << "a process without a runtime is ignored";
  ASSERT_TRUE(Attach());
  // Its first stops may find it asleep, importing modules, or too late. Later there are two
  // functions: the module and its function.
  EXPECT_TRUE(Eventually([&] {
    const Time now = steady_clock::now();
    processes_.Learn(child_, now);
    const auto end = live.Walk(SampleAt(now), now, &frames);
    live.ReleaseLate();
    return end == bpf::UNWIND_COMPLETE &&
           std::count_if(frames.begin(), frames.end(), [](uint64_t word) {
             return word >> FRAME_KIND_SHIFT == bpf::FRAME_PYTHON;
           }) == 2;
  }));
  EXPECT_GT(live.counts().walked, 0u);
}

TEST_F(LiveStacksTest, OldSamplesAndThoseBeyondTheBudgetKeepTheirCopy) {
  LiveStacks live(child_, &processes_, &files_, &runtimes_, {.burst = {}, .divisor = 5});
  ASSERT_TRUE(Attach());
  std::vector<uint64_t> frames;
  const Time now = steady_clock::now();
  EXPECT_FALSE(live.Walk(SampleAt(now - std::chrono::seconds(1)), now, &frames).has_value());
  EXPECT_EQ(live.counts().moved, 1u);
  EXPECT_FALSE(live.Walk(SampleAt(now), now, &frames).has_value());
  EXPECT_EQ(live.counts().skipped, 1u);
  live.End();
  EXPECT_FALSE(live.Walk(SampleAt(now), now, &frames).has_value());
  EXPECT_EQ(live.counts().missed(), 2u);
}

}  // namespace
}  // namespace flarestack::record::agent
