// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/stop_signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <thread>

namespace flarestack::cli {
namespace {

// The kernel delivers a signal to any thread that does not block it.
TEST(StopSignalsTest, ArriveWithAnEarlierThread) {
  std::promise<void> end;
  std::thread before([&] { end.get_future().wait(); });
  const StopSignals signals({SIGHUP});
  std::thread after([] {});
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    kill(getpid(), signal);
    EXPECT_EQ(signals.Wait(), signal);
  }
  EXPECT_FALSE(signals.WaitFor(std::chrono::nanoseconds(1)));
  kill(getpid(), SIGINT);
  EXPECT_TRUE(signals.WaitFor(std::chrono::seconds(60)));
  signals.Release();
  end.set_value();
  before.join();
  after.join();
}

TEST(StopSignalsTest, SecondSignalEndsTheProgram) {
  EXPECT_EXIT(
      {
        const StopSignals signals;
        kill(getpid(), SIGTERM);
        signals.Wait();
        signals.Release();
        kill(getpid(), SIGTERM);
        pause();
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace flarestack::cli
