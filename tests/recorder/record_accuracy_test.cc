// SPDX-License-Identifier: Apache-2.0
//
// Compares recordings with the program's own measurements, never with a clock of the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>
#include <string>

#include "base/text/text.h"
#include "record/testing/recording_here.h"
#include "recording.h"

namespace flarestack::testing {
namespace {

using record::agent::testing::WhyNoRecording;

class RecordAccuracyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoRecording(); !why.empty())
      GTEST_SKIP() << why;
  }

  // Lines "NAME SECONDS" printed by the program.
  static std::map<std::string, double> Measured(const std::string& out) {
    std::map<std::string, double> measured;
    std::istringstream lines(out);
    std::string name;
    double seconds = 0;
    while (lines >> name >> seconds)
      measured[name] = seconds;
    return measured;
  }

  // Seconds in stacks with this function, in one state or in all.
  static double Seconds(const Recording& recording, const std::string& type,
                        const std::string& function, const std::string& state = {}) {
    double sum = 0;
    for (const RecordedSample& sample : recording.samples) {
      if (sample.type == type && (state.empty() || sample.state == state) &&
          HasInOrder(sample.user, {function}))
        sum += static_cast<double>(sample.weight) * 1e-9;
    }
    return sum;
  }

  // The stacks of all waits, for an error message.
  static std::string Waits(const Recording& recording) {
    std::string text = recording.run.error;
    for (const RecordedSample& sample : recording.samples) {
      if (sample.type == "off_cpu")
        text += base::StrCat("  ", sample.command, " ", sample.state, " ", sample.weight, " ns ",
                             StackText(sample), "\n");
    }
    return text;
  }

  TemporaryFolder folder_;
};

// Turns are short and many, which would expose a clock that ticks in step with them. A turn that
// took longer than planned was disturbed: the clock may have ticked only once during it. So the
// excess adds to the variance with its square, like the samples.
TEST_F(RecordAccuracyTest, CpuSharesAreWithinFourSigma) {
  const std::string program = Compile(folder_, {.name = "shares", .source = R"(
static double disturbed;
#define WORK(name) NOINLINE void name(double* sum, double seconds) { \
  const double begin = Used(); Burn(seconds); \
  const double used = Used() - begin; \
  *sum += used; disturbed += (used - seconds) * (used - seconds); KEEP_FRAME; }
WORK(Half) WORK(Third) WORK(Seventh) WORK(Twentieth)
int main(void) {
  double sums[4] = {0};
  const double turn = 0.0023;
  for (int i = 0; i < 900; ++i) {
    Half(&sums[0], turn * 0.5);
    Third(&sums[1], turn * 0.3);
    Seventh(&sums[2], turn * 0.15);
    Twentieth(&sums[3], turn * 0.05);
  }
  printf("Half %f Third %f Seventh %f Twentieth %f\n", sums[0], sums[1], sums[2], sums[3]);
  printf("disturbed %.9f\n", disturbed);
  return 0;
}
)"});
  const Recording recording = Record(folder_, {"-F", "999"}, {program});
  std::map<std::string, double> measured = Measured(recording.run.out);
  ASSERT_EQ(measured.size(), 5u) << recording.run.out;
  const double disturbed = measured.extract("disturbed").mapped();
  double all_seconds = 0;
  int64_t all = 0;
  for (const auto& [function, seconds] : measured) {
    all_seconds += seconds;
    all += recording.CountWith("shares", {function});
  }
  ASSERT_GE(all, 300);
  for (const auto& [function, seconds] : measured) {
    const double expected = seconds / all_seconds;
    const double got =
        static_cast<double>(recording.CountWith("shares", {function})) / static_cast<double>(all);
    const double sigma = std::sqrt(expected * (1 - expected) / static_cast<double>(all) +
                                   disturbed / (all_seconds * all_seconds));
    EXPECT_NEAR(got, expected, 4 * sigma) << function;
    std::printf("  %s: %.2f%% of the program, %.2f%% of %ld samples (sigma %.2f%%)\n",
                function.c_str(), expected * 100, got * 100, static_cast<long>(all), sigma * 100);
  }
}

TEST_F(RecordAccuracyTest, SamplesAddUpToTheCpuTime) {
  const std::string program = Compile(folder_, {.name = "total", .source = R"(
NOINLINE void Work(void) { Burn(1.0); KEEP_FRAME; }
int main(void) {
  const double begin = Used(), stolen = Stolen();
  Work();
  printf("Work %f stolen %f\n", Used() - begin, Stolen() - stolen);
  return 0;
}
)"});
  const Recording recording = Record(folder_, {"-F", "997"}, {program});
  std::map<std::string, double> measured = Measured(recording.run.out);
  const double got = Seconds(recording, "cpu", "Work");
  std::printf("  used %.4f s, recorded %.4f s, stolen %.2f s\n", measured["Work"], got,
              measured["stolen"]);
  EXPECT_NEAR(got, measured["Work"], measured["Work"] * 0.05 + measured["stolen"]);
}

// Each kind of wait: many short ones and a few long ones. The time until the wakeup and the time in
// the run queue are added, because the program cannot distinguish them. The program also cannot see
// when the host of a virtual machine took its CPU; the kernel reports that for all CPUs together.
TEST_F(RecordAccuracyTest, WaitsAddUpToWhatTheProgramMeasured) {
  const std::string program = Compile(folder_, {.name = "waits",
                                                .source = R"(
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turn_pipe[2], held_pipe[2];
static double Now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
static void Pause(double seconds) {
  struct timespec time = {.tv_nsec = (long)(seconds * 1e9)};
  nanosleep(&time, 0);
}
NOINLINE double SleepLong(void) { const double begin = Now(); Pause(0.2); return Now() - begin; }
NOINLINE double SleepShort(void) { const double begin = Now(); Pause(0.012); return Now() - begin; }
NOINLINE double PollPipe(void) {
  struct pollfd none = {.fd = -1};
  const double begin = Now();
  poll(&none, 1, 100);
  return Now() - begin;
}
// Holds the lock for a while on each request.
static void* Holder(void* nothing) {
  char go;
  while (read(turn_pipe[0], &go, 1) == 1) {
    pthread_mutex_lock(&mutex);
    write(held_pipe[1], &go, 1);
    Pause(0.05);
    pthread_mutex_unlock(&mutex);
  }
  return nothing;
}
NOINLINE double WaitForLock(void) {
  const double begin = Now();
  pthread_mutex_lock(&mutex);
  const double end = Now();
  pthread_mutex_unlock(&mutex);
  return end - begin;
}
int main(void) {
  double sleep_long = 0, sleep_short = 0, poll_pipe = 0, lock = 0, stolen = Stolen();
  pthread_t holder;
  char byte = 0;
  pipe(turn_pipe);
  pipe(held_pipe);
  pthread_create(&holder, 0, Holder, 0);
  for (int i = 0; i < 2; ++i) sleep_long += SleepLong();
  for (int i = 0; i < 30; ++i) sleep_short += SleepShort();
  for (int i = 0; i < 3; ++i) poll_pipe += PollPipe();
  for (int i = 0; i < 6; ++i) {
    write(turn_pipe[1], &byte, 1);
    read(held_pipe[0], &byte, 1);
    lock += WaitForLock();
  }
  close(turn_pipe[1]);
  pthread_join(holder, 0);
  printf("SleepLong %f SleepShort %f PollPipe %f WaitForLock %f stolen %f\n", sleep_long,
         sleep_short, poll_pipe, lock, Stolen() - stolen);
  return 0;
}
)",
                                                .flags = "-O2 -pthread"});
  const Recording recording = Record(folder_, {"-F", "99", "-e", "cpu,off_cpu"}, {program});
  std::map<std::string, double> measured = Measured(recording.run.out);
  ASSERT_EQ(measured.size(), 5u) << recording.run.out;
  const double stolen = measured.extract("stolen").mapped();
  for (const auto& [function, seconds] : measured) {
    const double all = Seconds(recording, "off_cpu", function);
    const std::string state = function == "WaitForLock" ? "lock" : "sleep";
    const double in_state = Seconds(recording, "off_cpu", function, state);
    const double queued = Seconds(recording, "off_cpu", function, "run_queue");
    std::printf("  %s: measured %.4f s, recorded %.4f s (%s %.4f s, run_queue %.4f s)\n",
                function.c_str(), seconds, all, state.c_str(), in_state, queued);
    EXPECT_NEAR(all, seconds, seconds * 0.02 + 0.01 + stolen) << function << " in\n"
                                                              << Waits(recording);
    EXPECT_NEAR(in_state + queued, all, 1e-6) << function;
    EXPECT_GT(in_state, 0) << function;
  }
  // The clock may tick while the thread falls asleep or wakes up.
  EXPECT_LT(Seconds(recording, "cpu", "SleepLong"), 0.1 * measured["SleepLong"]);
}

// Two threads that never sleep, on one CPU: for about half of their time they are runnable but not
// running.
TEST_F(RecordAccuracyTest, SeparatesRunQueueTime) {
  const std::string program = Compile(folder_, {.name = "queue",
                                                .source = R"(
#include <pthread.h>
#include <sched.h>
static double Now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
static void* Run(void* sum) {
  const double begin = Now(), used = Used();
  Burn(0.3);
  *(double*)sum = (Now() - begin) - (Used() - used);
  return sum;
}
int main(void) {
  const double stolen = Stolen();
  cpu_set_t one;
  double sums[2];
  pthread_t other;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof(one), &one);
  pthread_create(&other, 0, Run, &sums[0]);
  Run(&sums[1]);
  pthread_join(other, 0);
  printf("Run %f stolen %f\n", sums[0] + sums[1], Stolen() - stolen);
  return 0;
}
)",
                                                .flags = "-O2 -pthread"});
  const Recording recording = Record(folder_, {"-F", "99", "-e", "off_cpu"}, {program});
  std::map<std::string, double> reported = Measured(recording.run.out);
  const double measured = reported["Run"];
  const double queued = Seconds(recording, "off_cpu", "Run", "run_queue");
  const double slept = Seconds(recording, "off_cpu", "Run", "sleep");
  // Short waits are sampled, and each sampled wait also counts for those that were not. The sum of
  // the squared values is an upper bound for the variance of the sum.
  double variance = 0;
  for (const RecordedSample& sample : recording.samples) {
    for (const int64_t value : sample.values)
      variance += std::pow(static_cast<double>(value) * 1e-9, 2);
  }
  std::printf("  measured %.4f s, run_queue %.4f s (sigma at most %.4f s)\n", measured, queued,
              std::sqrt(variance));
  EXPECT_NEAR(queued, measured,
              measured * 0.02 + 0.01 + reported["stolen"] + 4 * std::sqrt(variance));
  EXPECT_LT(slept, 0.01);
}

}  // namespace
}  // namespace flarestack::testing
