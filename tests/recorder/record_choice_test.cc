// SPDX-License-Identifier: Apache-2.0
//
// Selects which processes to record, on which CPUs, from when on, and by which events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "record/host/host_probe.h"
#include "record/kernel/online_cpus.h"
#include "recording_fixture.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kWorker = R"(
#include <stdlib.h>
NOINLINE void Work(double seconds) { Burn(seconds); KEEP_FRAME; }
int main(int count, char** words) {
  Work(atof(words[1]));
  return 0;
}
)";

// These need no privilege.
TEST(RecordChoiceUsageTest, ReportsInvalidFlags) {
  const auto error_of = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"record", "-o", "/dev/null", "--to", "otlp", "-d", "1"});
    const RunResult run = Flarestack(flags);
    EXPECT_EQ(run.exit_code, 2) << run.error;
    return run.error;
  };
  EXPECT_THAT(error_of({"--user", "no-such-user"}), HasSubstr("no user no-such-user"));
  EXPECT_THAT(error_of({"--cgroup", "no/such/group"}), HasSubstr("no/such/group"));
  EXPECT_THAT(error_of({"-a", "-C", "0-"}), HasSubstr("\"0-\""));
  EXPECT_THAT(error_of({"-a", "-C", "65000"}), HasSubstr("CPU 65000 is not online"));
  EXPECT_THAT(error_of({"-a", "-e", "cpu,tea"}),
              HasSubstr("unknown event \"tea\"; known events: cpu, "));
  EXPECT_THAT(error_of({"-a", "-c", "100"}), HasSubstr("none of the events is a counter"));
  EXPECT_THAT(error_of({"-a", "-D", "soon"}), HasSubstr("invalid duration \"soon\""));
  EXPECT_THAT(error_of({"-p", "1", "-a"}), HasSubstr("more than one target"));
}

class RecordChoiceTest : public RecordingTest {
 protected:
  // Two programs with the same code: `chosen` is recorded, `other` is not.
  void SetUp() override {
    RecordingTest::SetUp();
    if (IsSkipped())
      return;
    chosen_ = Compile(folder_, {.name = "chosen", .source = std::string(kWorker)});
    other_ = folder_.File("other");
    std::filesystem::copy_file(chosen_, other_);
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
  }

  // Records with `flags` while the shell runs `script`.
  std::vector<RecordedSample> RecordDuring(const std::string& flags, const std::string& script) {
    const std::string path = folder_.File("a.otlp");
    const RunResult run =
        RunProgram({"/bin/sh", "-c",
                    base::StrCat(FLARESTACK_PROGRAM, " record -n 0 -F 199 --no-symbolize -o ", path,
                                 " ", flags, " & recorder=$!", UntilItRecords(), script,
                                 "; kill -INT $recorder; wait $recorder")});
    EXPECT_EQ(run.exit_code, 130) << run.error;
    return ReadSamples(path);
  }

  // Counts of both programs, by name; other programs run on this host too.
  static std::map<std::string, int64_t> Counts(const std::vector<RecordedSample>& samples,
                                               const std::string& type = "samples") {
    std::map<std::string, int64_t> counts;
    for (const RecordedSample& sample : samples) {
      if (sample.type == type && (sample.command == "chosen" || sample.command == "other"))
        counts[sample.command] += sample.weight;
    }
    return counts;
  }

  static void ExpectChosenAlone(const std::map<std::string, int64_t>& counts) {
    EXPECT_GE(counts.contains("chosen") ? counts.at("chosen") : 0, 20);
    EXPECT_EQ(counts.count("other"), 0u) << counts.at("other");
  }

  std::string Both(const std::string& prefix = "") const {
    return base::StrCat(prefix, chosen_, " 0.3 & first=$!; ", other_,
                        " 0.3 & second=$!; wait $first; wait $second");
  }

  std::string chosen_;
  std::string other_;
};

TEST_F(RecordChoiceTest, RecordsByCommandName) {
  const auto samples = RecordDuring("--command chosen", Both());
  ExpectChosenAlone(Counts(samples));
  EXPECT_TRUE(std::all_of(samples.begin(), samples.end(),
                          [](const auto& sample) { return sample.command == "chosen"; }));
}

TEST_F(RecordChoiceTest, FilterRestrictsAll) {
  ExpectChosenAlone(Counts(RecordDuring("-a --command chosen", Both())));
}

TEST_F(RecordChoiceTest, RecordsAUserByNumberAndName) {
  if (!HasProgram("setpriv"))
    GTEST_SKIP() << "setpriv is not installed";
  const std::string as_nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
  ExpectChosenAlone(Counts(RecordDuring("--user 65534", Both(as_nobody))));
  if (RunProgram({"/usr/bin/env", "id", "-u", "nobody"}).out != "65534\n")
    GTEST_SKIP() << "user 65534 is not named nobody";
  ExpectChosenAlone(Counts(RecordDuring("--user nobody", Both(as_nobody))));
}

TEST_F(RecordChoiceTest, RecordsACgroup) {
  const std::string group =
      base::StrCat("/sys/fs/cgroup/flarestack-test-", std::to_string(getpid()));
  std::error_code error;
  if (!std::filesystem::create_directory(group, error))
    GTEST_SKIP() << "cannot create a cgroup: " << error.message();
  if (!std::filesystem::exists(group + "/cgroup.procs")) {
    std::filesystem::remove(group, error);
    GTEST_SKIP() << "/sys/fs/cgroup is not cgroup v2";
  }
  const std::string inside =
      base::StrCat("(echo 0 > ", group, "/cgroup.procs; exec ", chosen_, " 0.3) & first=$!; ",
                   other_, " 0.3 & second=$!; wait $first; wait $second");
  ExpectChosenAlone(Counts(RecordDuring(
      "--cgroup " + group.substr(std::string_view("/sys/fs/cgroup/").size()), inside)));
  std::filesystem::remove(group, error);
}

TEST_F(RecordChoiceTest, RecordsAThread) {
  const std::string program = Compile(folder_, {.name = "threads",
                                                .source = R"(
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int done;
NOINLINE void Second(void) { while (!done) Burn(0.01); KEEP_FRAME; }
NOINLINE void First(void) { Burn(0.4); KEEP_FRAME; }
static void* Run(void* name) {
  FILE* file = fopen(name, "w");
  fprintf(file, "%ld\n", (long)syscall(SYS_gettid));
  fclose(file);
  Second();
  return 0;
}
int main(int count, char** words) {
  pthread_t thread;
  pthread_create(&thread, 0, Run, words[1]);
  while (access(words[2], F_OK) != 0) usleep(1000);
  First();
  done = 1;
  pthread_join(thread, 0);
  return 0;
}
)",
                                                .flags = "-O2 -pthread"});
  const std::string tid = folder_.File("tid");
  const std::string go = folder_.File("go");
  const std::string path = folder_.File("a.otlp");
  const RunResult run = RunProgram(
      {"/bin/sh", "-c",
       base::StrCat(program, " ", tid, " ", go, " & while ! [ -s ", tid, " ]; do :; done; ",
                    FLARESTACK_PROGRAM, " record -n 0 -F 199 -e cpu,off_cpu -o ", path,
                    " -t $(cat ", tid, ") & recorder=$!", UntilItRecords(), "touch ", go,
                    "; wait $recorder")});
  EXPECT_EQ(run.exit_code, 0) << run.error << "the recording ends with its thread";
  int64_t of_second = 0;
  for (const RecordedSample& sample : ReadSamples(path)) {
    EXPECT_FALSE(HasInOrder(sample.user, {"main"})) << StackText(sample);
    if (sample.type == "samples" && HasInOrder(sample.user, {"Second"}))
      of_second += sample.weight;
  }
  EXPECT_GE(of_second, 20);
}

TEST_F(RecordChoiceTest, RecordsSelectedProcessors) {
  const std::vector<int> online = record::agent::OnlineCpus();
  if (online.size() < 2 || !HasProgram("taskset"))
    GTEST_SKIP() << "needs two processors and taskset";
  const std::string script =
      base::StrCat("taskset -c ", online[0], " ", chosen_, " 0.3 & first=$!; taskset -c ",
                   online[1], " ", other_, " 0.3 & second=$!; wait $first; wait $second");
  const auto samples = RecordDuring(base::StrCat("-a -e cpu,off_cpu -C ", online[0]), script);
  ExpectChosenAlone(Counts(samples));
  EXPECT_EQ(Counts(samples, "off_cpu").count("other"), 0u);
}

// Nothing before the end of the delay is recorded, but processes started in that time are followed.
TEST_F(RecordChoiceTest, StartsAfterADelay) {
  const std::string program = Compile(folder_, {.name = "stages", .source = R"(
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static double Now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
NOINLINE void Early(double end) { while (Now() < end) Burn(0.01); KEEP_FRAME; }
NOINLINE void Late(void) { Burn(0.3); KEEP_FRAME; }
int main(void) {
  const double begin = Now();
  const pid_t child = fork();
  Early(begin + 0.2);
  while (Now() < begin + 2) usleep(1000);
  Late();
  if (child == 0) _exit(0);
  waitpid(child, 0, 0);
  return 0;
}
)"});
  const Recording recording = Record(folder_, {"-F", "199", "--delay", "1"}, {program});
  EXPECT_EQ(recording.run.exit_code, 0) << recording.run.error;
  std::set<int64_t> pids;
  int64_t late = 0;
  for (const RecordedSample& sample : recording.samples) {
    EXPECT_FALSE(HasInOrder(sample.user, {"Early"})) << StackText(sample);
    if (sample.type == "samples" && HasInOrder(sample.user, {"main", "Late"})) {
      late += sample.weight;
      pids.insert(sample.pid);
    }
  }
  EXPECT_GE(late, 40);
  EXPECT_EQ(pids.size(), 2u);
}

TEST_F(RecordChoiceTest, DurationWithoutAUnitIsInSeconds) {
  const RunResult run = Flarestack({"record", "-n", "0", "-F", "499", "-d", "0.2", "-o",
                                    folder_.File("a.otlp"), "--", chosen_, "1"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_THAT(run.error, HasSubstr("recorded " + chosen_ + " in "));
}

// Page faults on a thousand pages, in one function.
constexpr std::string_view kTouch = R"(
#include <sys/mman.h>
#include <unistd.h>
enum { kPages = 1000, kPageBytes = 65536 };
NOINLINE void Touch(char* memory) {
  for (int i = 0; i < kPages; ++i)
    memory[(long)i * kPageBytes] = 1;
  KEEP_FRAME;
}
int main(void) {
  char* memory = mmap(0, (long)kPages * kPageBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  madvise(memory, (long)kPages * kPageBytes, MADV_NOHUGEPAGE);
  // One fault has the recorder load the tables of this code. Before they are there stacks are
  // copied, and few may be.
  memory[kPageBytes - 1] = 1;
  usleep(500000);
  Touch(memory);
  return 0;
}
)";

int64_t Sum(const Recording& recording, const std::string& type,
            const std::vector<std::string>& functions) {
  int64_t sum = 0;
  for (const RecordedSample& sample : recording.samples) {
    if (sample.type == type && HasInOrder(sample.user, functions))
      sum += sample.weight;
  }
  return sum;
}

TEST_F(RecordChoiceTest, RecordsEveryPageFault) {
  const std::string program = Compile(folder_, {.name = "touch", .source = std::string(kTouch)});
  for (const std::string event : {"page-faults", "faults", "minor-faults"}) {
    const Recording recording = Record(folder_, {"-e", event, "-c", "1"}, {program});
    EXPECT_EQ(recording.run.exit_code, 0) << recording.run.error;
    const std::string type = event == "faults" ? "page-faults" : event;
    EXPECT_GE(Sum(recording, type, {"main", "Touch"}), 900) << event << recording.run.error;
    EXPECT_EQ(Sum(recording, "cpu", {}), 0) << "cpu was not selected";
  }
}

TEST_F(RecordChoiceTest, SampleOfManyEventsCountsForAllOfThem) {
  const std::string program = Compile(folder_, {.name = "touch", .source = std::string(kTouch)});
  const Recording recording = Record(folder_, {"-e", "cpu,page-faults", "-c", "100"}, {program});
  EXPECT_EQ(recording.run.exit_code, 0) << recording.run.error;
  const int64_t sum = Sum(recording, "page-faults", {"Touch"});
  EXPECT_GE(sum, 900);
  // A CPU counts events of all its processes, so another process may cause the hundredth event.
  EXPECT_LE(sum, 1100);
  for (const RecordedSample& sample : recording.samples) {
    if (sample.type != "page-faults")
      continue;
    EXPECT_EQ(sample.weight % 100, 0) << StackText(sample);
  }
}

TEST_F(RecordChoiceTest, RecordsContextSwitches) {
  const std::string program = Compile(folder_, {.name = "sleeper", .source = R"(
#include <unistd.h>
NOINLINE void Rest(void) { usleep(100); KEEP_FRAME; }
int main(void) {
  for (int i = 0; i < 200; ++i) Rest();
  return 0;
}
)"});
  const Recording recording = Record(folder_, {"-e", "context-switches", "-c", "1"}, {program});
  EXPECT_EQ(recording.run.exit_code, 0) << recording.run.error;
  EXPECT_GE(Sum(recording, "context-switches", {"main", "Rest"}), 200) << recording.run.error;
}

TEST_F(RecordChoiceTest, RecordsMigrationsBetweenProcessors) {
  if (record::agent::OnlineCpus().size() < 2)
    GTEST_SKIP() << "needs two processors";
  const std::string program = Compile(folder_, {.name = "mover", .source = R"(
#include <sched.h>
NOINLINE void Move(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof(set), &set);
  Burn(0.001);
  KEEP_FRAME;
}
int main(void) {
  cpu_set_t all;
  int processors[2], count = 0;
  sched_getaffinity(0, sizeof(all), &all);
  for (int i = 0; i < CPU_SETSIZE && count < 2; ++i)
    if (CPU_ISSET(i, &all)) processors[count++] = i;
  if (count < 2) return 1;
  for (int i = 0; i < 50; ++i) Move(processors[i % 2]);
  return 0;
}
)"});
  const Recording recording = Record(folder_, {"-e", "migrations", "-c", "1"}, {program});
  if (recording.run.exit_code == 1)
    GTEST_SKIP() << "the program may use only one processor";
  EXPECT_GE(Sum(recording, "cpu-migrations", {"main", "Move"}), 45) << recording.run.error;
}

// If the machine has no hardware counters, record reports it before the command runs.
TEST_F(RecordChoiceTest, CyclesNeedHardwareCounters) {
  const std::string sign = folder_.File("sign");
  const RunResult run =
      Flarestack({"record", "-n", "0", "-e", "cycles", "-o", folder_.File("a.otlp"), "--",
                  "/bin/sh", "-c", base::StrCat(chosen_, " 0.2; touch ", sign)});
  if (record::agent::ProbeHost().cycles_all == 0) {
    EXPECT_EQ(run.exit_code, 0) << run.error;
    return;
  }
  EXPECT_EQ(run.exit_code, 1) << run.error;
  EXPECT_THAT(run.error, HasSubstr("this machine has no hardware counter for cycles"));
  EXPECT_FALSE(std::filesystem::exists(sign));
}

}  // namespace
}  // namespace flarestack::testing
