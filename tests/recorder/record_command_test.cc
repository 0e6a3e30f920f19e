// SPDX-License-Identifier: Apache-2.0
//
// `flarestack record` as a command: its input, its exit, its output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "record/testing/recording_here.h"
#include "recording.h"
#include "unprivileged_fixture.h"

namespace flarestack::testing {
namespace {

using record::agent::testing::WhyNoRecording;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kWorker = R"(
#include <stdlib.h>
NOINLINE void Work(double seconds) { Burn(seconds); KEEP_FRAME; }
int main(int count, char** words) {
  Work(count > 1 ? atof(words[1]) : 0.2);
  return count > 2 ? atoi(words[2]) : 0;
}
)";

// These need no privilege.
TEST(RecordUsageTest, NothingToRecordIsAUsageError) {
  const RunResult run = Flarestack({"record"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.error, HasSubstr("nothing to record"));
}

TEST(RecordUsageTest, TwoTargetsAreAUsageError) {
  EXPECT_EQ(Flarestack({"record", "-a", "-p", "1"}).exit_code, 2);
  EXPECT_EQ(Flarestack({"record", "-a", "--", "true"}).exit_code, 2);
}

TEST(RecordUsageTest, ReportsInvalidFlags) {
  EXPECT_THAT(Flarestack({"record", "-a", "-d", "soon"}).error, HasSubstr("invalid duration"));
  EXPECT_EQ(Flarestack({"record", "-a", "-F", "0"}).exit_code, 2);
  EXPECT_EQ(Flarestack({"record", "-a", "-F", "10001"}).exit_code, 2);
  EXPECT_EQ(Flarestack({"record", "-a", "-e", "cpu,tea"}).exit_code, 2);
  EXPECT_EQ(Flarestack({"record", "-a", "-o", "a.unknown"}).exit_code, 2);
}

TEST(RecordUsageTest, RejectsOpenOfUnreadableOutputBeforeRecording) {
  const RunResult picture = Flarestack({"record", "-a", "--open", "-o", "a.svg"});
  EXPECT_EQ(picture.exit_code, 2);
  EXPECT_THAT(picture.error, HasSubstr("svg is an output-only format"));
  const RunResult pipe = Flarestack({"record", "-a", "--open", "-o", "-", "--to", "otlp"});
  EXPECT_EQ(pipe.exit_code, 2);
  EXPECT_THAT(pipe.error, HasSubstr("no output file"));
  const RunResult sent = Flarestack({"record", "-a", "--open", "--send", "http://127.0.0.1:1"});
  EXPECT_EQ(sent.exit_code, 2);
}

TEST(RecordUsageTest, MissingProcessIsNotFound) {
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  waitpid(child, nullptr, 0);
  const RunResult run =
      Flarestack({"record", "-p", std::to_string(child), "-o", "/dev/null", "--to", "otlp"});
  EXPECT_EQ(run.exit_code, 3) << run.error;
  EXPECT_THAT(run.error, HasSubstr(base::StrCat("no process ", child)));
}

TEST(RecordUsageTest, ReportsUnwritableOutputBeforeTheCommandRuns) {
  const TemporaryFolder folder;
  const std::string sign = folder.File("sign");
  for (const std::string& place :
       {folder.File("missing/a.otlp"), std::string("/proc/a.otlp"), folder.path() + "/"}) {
    const RunResult run =
        Flarestack({"record", "--to", "otlp", "-o", place, "--", "/usr/bin/env", "touch", sign});
    EXPECT_EQ(run.exit_code, 1) << place;
    EXPECT_THAT(run.error, HasSubstr("cannot write " + place));
    EXPECT_EQ(folder.Listing(), "") << place;
  }
}

TEST(RecordUsageTest, ReportsAnInvalidServerBeforeTheCommandRuns) {
  const TemporaryFolder folder;
  const RunResult run = Flarestack(
      {"record", "--send", "ftp://127.0.0.1", "--", "/usr/bin/env", "touch", folder.File("sign")});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.error, HasSubstr("cannot send to ftp://127.0.0.1"));
  EXPECT_EQ(folder.Listing(), "");
}

class RecordCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoRecording(); !why.empty())
      GTEST_SKIP() << why;
  }

  std::string Worker() {
    return Compile(folder_, {.name = "worker", .source = std::string(kWorker)});
  }

  TemporaryFolder folder_;
};

TEST_F(RecordCommandTest, ReturnsTheExitStatusOfTheCommand) {
  const std::string worker = Worker();
  EXPECT_EQ(Record(folder_, {"-F", "499"}, {worker, "0.1", "7"}).run.exit_code, 7);
  EXPECT_EQ(
      Record(folder_, {"-F", "499", "--exit-code", "tool"}, {worker, "0.1", "7"}).run.exit_code, 0);
  const Recording killed = Record(folder_, {"-F", "499"},
                                  {"/bin/sh", "-c", base::StrCat(worker, " 0.1; kill -TERM $$")});
  EXPECT_EQ(killed.run.exit_code, 128 + SIGTERM);
  EXPECT_GT(killed.CountWith("worker", {"main", "Work"}), 0);
}

TEST_F(RecordCommandTest, PassesInputAndOutputOfTheCommandThrough) {
  const RunResult run = Flarestack({"record", "-n", "0", "-F", "499", "-o", folder_.File("a.otlp"),
                                    "--", "/bin/sh", "-c", "cat; echo word >&2; " + Worker()},
                                   {.input = "text"});
  EXPECT_EQ(run.out, "text");
  EXPECT_THAT(run.error, StartsWith("word\n"));
}

TEST_F(RecordCommandTest, ReportsAMissingProgram) {
  const RunResult run =
      Flarestack({"record", "-o", folder_.File("a.otlp"), "--", folder_.File("missing")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.error, HasSubstr("cannot run " + folder_.File("missing")));
  EXPECT_THAT(run.error, HasSubstr("no such program"));
  EXPECT_EQ(folder_.Listing(), "");
}

TEST_F(RecordCommandTest, ReportsAFileThatIsNotExecutable) {
  const RunResult run =
      Flarestack({"record", "-o", folder_.File("a.otlp"), "--", folder_.Write("text", "hello")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.error, HasSubstr("Permission denied"));
}

TEST_F(RecordCommandTest, ExtensionSelectsTheFormat) {
  const std::string worker = Worker();
  const auto write = [&](const std::string& name) {
    const RunResult run = Flarestack(
        {"record", "-n", "0", "-F", "499", "-o", folder_.File(name), "--", worker, "0.1"});
    EXPECT_EQ(run.exit_code, 0) << run.error;
    return ReadWhole(folder_.File(name));
  };
  EXPECT_THAT(write("a.pb.gz"), StartsWith("\x1f\x8b"));
  EXPECT_THAT(write("a.folded"), HasSubstr(";main;Work"));
  EXPECT_THAT(write("a.svg"), HasSubstr("<svg"));
  EXPECT_THAT(write("a.otlp.zst"), StartsWith("\x28\xb5\x2f\xfd"));
}

TEST_F(RecordCommandTest, RecordedFilePassesTheCheck) {
  // On an idle machine the worker alone never waits; a shell waits for its children.
  const Recording recording =
      Record(folder_, {"-F", "499", "-e", "cpu,off_cpu,wall"},
             {"/bin/sh", "-c", base::StrCat(Worker(), " 0.3; ", Worker(), " 0.1")});
  const RunResult check = Flarestack({"check", "--strict", recording.path});
  EXPECT_THAT(check.out, ::testing::Not(HasSubstr("error "))) << check.out;
  std::set<std::string> types;
  for (const RecordedSample& sample : recording.samples)
    types.insert(sample.type);
  EXPECT_EQ(types, (std::set<std::string>{"cpu", "off_cpu", "samples", "wall"}));
}

TEST_F(RecordCommandTest, SignalsSaveTheRecording) {
  const std::string worker = Worker();
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    const std::string path = folder_.File(signal + ".otlp");
    const RunResult run =
        RunProgram({"/bin/sh", "-c",
                    base::StrCat(FLARESTACK_PROGRAM, " record -a -n 0 -F 199 --no-symbolize -o ",
                                 path, " & recorder=$!", UntilItRecords(), worker, " 0.3; kill -",
                                 signal, " $recorder; wait $recorder")});
    EXPECT_EQ(run.exit_code, 130) << signal << run.error;
    Recording recording;
    recording.samples = ReadSamples(path);
    // On a busy machine, and when emulated, the worker may end before its unwind tables are built.
    EXPECT_GT(recording.CompleteOf("worker").all, IsEmulated() ? 0 : 20) << signal;
  }
  EXPECT_EQ(folder_.Listing(), "HUP.otlp INT.otlp TERM.otlp worker worker.c ");
}

TEST_F(RecordCommandTest, KilledRecorderLeavesAReadableCheckpoint) {
  const std::string path = folder_.File("a.otlp.zst");
  const RunResult run = RunProgram(
      {"/bin/sh", "-c",
       base::StrCat(Worker(), " 1000 & target=$!; ", FLARESTACK_PROGRAM, " record -n 0 -F 199 -o ",
                    path, " -p $target & recorder=$!; while kill -0 $recorder && ! [ -s ", path,
                    ".partial ]; do :; done; kill -KILL $recorder; kill -KILL $target; wait "
                    "$recorder")});
  EXPECT_EQ(run.exit_code, 128 + SIGKILL) << run.error;
  EXPECT_FALSE(std::filesystem::exists(path));
  const RunResult top = Flarestack({"top", "--type", "cpu", path + ".partial"});
  EXPECT_EQ(top.exit_code, 0) << top.error;
  Recording recording;
  recording.samples = ReadSamples(path + ".partial");
  EXPECT_GT(recording.CompleteOf("worker").all, 20);
}

TEST_F(RecordCommandTest, RemovesTheCheckpointAfterACompleteRecording) {
  const Recording recording = Record(folder_, {"-F", "199"}, {Worker(), "1.5"});
  EXPECT_EQ(recording.run.exit_code, 0) << recording.run.error;
  EXPECT_GT(recording.CompleteOf("worker").all, 20);
  EXPECT_THAT(folder_.Listing(), ::testing::Not(HasSubstr("partial")));
}

TEST_F(RecordCommandTest, RecordsARunningProcessUntilItEnds) {
  const std::string target = Compile(folder_, {.name = "patient", .source = R"(
#include <unistd.h>
NOINLINE void Work(double seconds) { Burn(seconds); KEEP_FRAME; }
int main(int count, char** words) {
  while (access(words[1], F_OK) != 0)
    Work(0.02);
  Work(0.3);
  return 0;
}
)"});
  const std::string path = folder_.File("a.otlp");
  const std::string sign = folder_.File("sign");
  const RunResult run =
      RunProgram({"/bin/sh", "-c",
                  base::StrCat(target, " ", sign, " & target=$!; ", FLARESTACK_PROGRAM,
                               " record -n 0 -F 199 -o ", path, " -p $target & recorder=$!",
                               UntilItRecords(), "touch ", sign, "; wait $recorder")});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  Recording recording;
  recording.samples = ReadSamples(path);
  const Share share = recording.CompleteOf("patient");
  EXPECT_GT(share.all, 30);
  EXPECT_LE(share.all - share.complete, 1 + share.all / 100);
  for (const RecordedSample& sample : recording.samples)
    EXPECT_EQ(sample.command, "patient");
}

TEST_F(RecordCommandTest, KilledTargetIsNotAFailure) {
  const std::string path = folder_.File("a.otlp");
  const std::string worker = Worker();
  const RunResult run = RunProgram(
      {"/bin/sh", "-c",
       base::StrCat(worker, " 1000 & target=$!; ", FLARESTACK_PROGRAM,
                    " record -n 0 -F 199 -e cpu,off_cpu -o ", path, " -p $target & recorder=$!",
                    UntilItRecords(), worker, " 0.3; kill -KILL $target; wait $recorder")});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  Recording recording;
  recording.samples = ReadSamples(path);
  EXPECT_FALSE(recording.samples.empty());
  const Share share = recording.CompleteOf("worker");
  EXPECT_LE(share.all - share.complete, 1 + share.all / 100);
}

TEST_F(RecordCommandTest, DurationEndsTheRecordingButNotTheCommand) {
  const std::string done = folder_.File("done");
  const RunResult run = Flarestack({"record", "-n", "0", "-e", "cpu,off_cpu", "-d", "300ms", "-o",
                                    folder_.File("a.otlp"), "--", "/bin/sh", "-c",
                                    base::StrCat(Worker(), " 1; echo > ", done)});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_FALSE(ReadSamples(folder_.File("a.otlp")).empty());
  // The command inherits our output, so the run above ended only after the command did.
  EXPECT_TRUE(std::ifstream(done).good());
}

TEST_F(RecordCommandTest, WaitReportsShowWhereTheProgramWaits) {
  const std::string program = Compile(folder_, {.name = "sleeper", .source = R"(
#include <unistd.h>
NOINLINE void Rest(void) { usleep(20000); KEEP_FRAME; }
int main(void) {
  for (int i = 0; i < 10; ++i) Rest();
  Burn(0.1);
  return 0;
}
)"});
  const Recording recording = Record(folder_, {"-F", "499", "-e", "cpu,off-cpu"}, {program});
  EXPECT_EQ(recording.run.exit_code, 0) << recording.run.error;
  const RunResult tables = Flarestack({"record", "-F", "499", "-e", "cpu,off-cpu", "--", program},
                                      {.directory = folder_.path()});
  EXPECT_THAT("\n" + tables.out, HasSubstr("\ncpu: ")) << tables.error;
  const size_t waits = tables.out.find("off_cpu: ");
  ASSERT_NE(waits, std::string::npos) << tables.out;
  // Check only the off-CPU table: in the CPU table a sample may hit the scheduler.
  EXPECT_THAT(tables.out.substr(waits, tables.out.find("\n\n", waits) - waits),
              ::testing::Not(HasSubstr("__schedule")));

  const RunResult all =
      Flarestack({"top", "-n", "0", "--type", "offcpu", "--scheduler-frames", recording.path});
  if (all.out.find("__schedule") == std::string::npos)
    GTEST_SKIP() << "kernel symbol names are hidden";
  EXPECT_THAT(all.out, HasSubstr("do_nanosleep"));
  const RunResult top = Flarestack({"top", "-n", "0", "--type", "off-cpu", recording.path});
  EXPECT_EQ(top.exit_code, 0) << top.error;
  EXPECT_THAT(top.out, ::testing::Not(HasSubstr("schedule")));
  EXPECT_THAT(top.out, HasSubstr("sys_clock_nanosleep"));
  EXPECT_EQ(top.out.substr(0, top.out.find('\n')), all.out.substr(0, all.out.find('\n')))
      << "the sum is the same";
}

// Many programs that end before the recorder can inspect them.
TEST_F(RecordCommandTest, ShortLivedProcessesHaveNamesAndCompleteStacks) {
  const std::string parent =
      Compile(folder_, {.name = "parent",
                        .source = base::StrCat(R"(
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  for (int i = 0; i < 150; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      execl(")",
                                               Worker(), R"(", "worker", "0.02", (char*)0);
      _exit(1);
    }
    waitpid(child, 0, 0);
  }
  return 0;
}
)")});
  const Recording recording = Record(folder_, {"-F", "199"}, {parent});
  EXPECT_EQ(recording.run.exit_code, 0) << recording.run.error;
  const Share share = recording.CompleteOf("worker");
  std::set<int64_t> pids;
  int64_t with_executable = 0;
  std::map<std::string, int64_t> others;  // wrong executables
  for (const RecordedSample& sample : recording.samples) {
    if (sample.type != "samples" || sample.command != "worker")
      continue;
    pids.insert(sample.pid);
    if (sample.executable.ends_with("/worker"))
      with_executable += sample.weight;
    else
      others[sample.executable] += sample.weight;
  }
  std::printf("  %zu processes, complete: %ld of %ld, with their executable: %ld\n", pids.size(),
              static_cast<long>(share.complete), static_cast<long>(share.all),
              static_cast<long>(with_executable));
  ASSERT_GE(share.all, 100);
  EXPECT_GE(pids.size(), 100u);
  EXPECT_GE(share.complete_share(), 0.95) << ::testing::PrintToString(share.incomplete);
  // When emulated, a program takes longer to start than to do its work.
  const int64_t work_percent_min = IsEmulated() ? 20 : 75;
  EXPECT_GE(recording.CountWith("worker", {"_start", "main", "Work"}),
            share.all * work_percent_min / 100);
  EXPECT_GE(with_executable, share.all * 95 / 100) << ::testing::PrintToString(others);
}

// The loop of libuv, for one, keeps 17 KB of events on its stack.
TEST_F(RecordCommandTest, ShortLivedProcessesWithLargeFramesHaveCompleteStacks) {
  const std::string child = Compile(folder_, {.name = "large", .source = R"(
#include <string.h>
NOINLINE void Poll(void) {
  volatile char events[20000];
  memset((char*)events, 1, sizeof(events));
  Burn(0.02);
  KEEP_FRAME;
}
int main(void) {
  Poll();
  return 0;
}
)"});
  const Recording recording =
      Record(folder_, {"-F", "199"},
             {"/bin/sh", "-c", base::StrCat("for i in $(seq 60); do ", child, "; done")});
  EXPECT_EQ(recording.run.exit_code, 0) << recording.run.error;
  const Share share = recording.CompleteOf("large");
  ASSERT_GE(share.all, 40);
  EXPECT_GE(share.complete_share(), 0.95) << ::testing::PrintToString(share.incomplete);
}

class RecordUnprivilegedTest : public UnprivilegedTest {};

TEST_F(RecordUnprivilegedTest, RecordsItsOwnCommandAndReportsWhatIsMissing) {
  const std::string worker = Compile(folder_, {.name = "worker", .source = std::string(kWorker)});
  const std::string file = folder_.File("own.otlp");
  const RunResult run =
      Run({FLARESTACK_PROGRAM, "record", "-F", "499", "-o", file, "--", worker, "0.4", "3"});
  if (run.exit_code == 5)
    GTEST_SKIP() << "perf events need privileges: " << run.error;
  EXPECT_EQ(run.exit_code, 3) << run.error;
  EXPECT_THAT(run.error, HasSubstr("no kernel frames and no waits"));
  int64_t all = 0;
  int64_t whole = 0;
  for (const RecordedSample& sample : ReadSamples(file)) {
    if (sample.type != "samples" || !HasInOrder(sample.user, {"Work"}))
      continue;
    all += sample.weight;
    whole += HasInOrder(sample.user, {"main", "Work"}) && sample.IsComplete() ? sample.weight : 0;
    EXPECT_TRUE(sample.kernel.empty());
  }
  EXPECT_GE(all, 20) << "time in the kernel is not recorded, such as reading the clock";
  EXPECT_GE(whole, all - all / 20);
}

// Threads and processes that end before the first tick of the 4 ms clock.
TEST_F(RecordUnprivilegedTest, SamplesShortLivedThreadsAndProcessesInProportionToTheirTime) {
  const std::string program = Compile(folder_, {.name = "brief",
                                                .source = R"(
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static double UsedUpTo(double end) {
  while (Used() < end)
    for (int i = 0; i < 2000; ++i) sink = sink * 3 + (unsigned long)i;
  return 0;
}
NOINLINE void Brief(void) { UsedUpTo(Used() + 0.0015); KEEP_FRAME; }
static void* Run(void* unused) { Brief(); return 0; }
int main(int count, char** words) {
  for (int i = 0; i < 400; ++i) {
    if (count > 1) {
      const pid_t child = fork();
      if (child == 0) { Brief(); _exit(0); }
      waitpid(child, 0, 0);
    } else {
      pthread_t thread;
      pthread_create(&thread, 0, Run, 0);
      pthread_join(thread, 0);
    }
  }
  return 0;
}
)",
                                                .flags = "-O2 -pthread"});
  for (const std::string kind : {"", "processes"}) {
    const std::string file = folder_.File("own.otlp");
    std::vector<std::string> words = {
        FLARESTACK_PROGRAM, "record", "-F", "249", "-o", file, "--", program};
    if (!kind.empty())
      words.push_back(kind);
    const RunResult run = Run(words);
    if (run.exit_code == 5)
      GTEST_SKIP() << "perf events need privileges: " << run.error;
    EXPECT_EQ(run.exit_code, 0) << run.error;
    EXPECT_THAT(run.error, HasSubstr("samples cover "));
    int64_t met = 0;
    for (const RecordedSample& sample : ReadSamples(file)) {
      if (sample.type == "samples" && HasInOrder(sample.user, {"Brief"}))
        met += sample.weight;
    }
    std::printf("  %s: %ld of about 150 samples\n", kind.empty() ? "threads" : "processes",
                static_cast<long>(met));
    // They use a little more than 600 ms. The last half millisecond of each may be missing, and so
    // may their time in the kernel.
    EXPECT_GE(met, 75) << run.error;
    EXPECT_LE(met, 200) << run.error;
  }
}

// The capabilities of the agent's systemd unit, in the syntax of setpriv. CAP_SYS_RESOURCE is for
// kernels before 5.11.
std::string CapabilitiesOfTheUnit() {
  std::ifstream unit(FLARESTACK_TESTDATA "/../packaging/systemd/flarestack-agent.service");
  std::string line;
  while (std::getline(unit, line) && !line.starts_with("AmbientCapabilities="))
    continue;
  std::istringstream names(line.substr(line.find('=') + 1));
  std::string words;
  for (std::string name; names >> name;) {
    if (name == "CAP_SYS_RESOURCE")
      continue;
    words += words.empty() ? "+" : ",+";
    for (const char letter : name.substr(std::string_view("CAP_").size()))
      words += static_cast<char>(std::tolower(letter));
  }
  return words;
}

// As the package runs it: not as root, but with these capabilities.
TEST_F(RecordUnprivilegedTest, RecordsAndSymbolizesOtherProcessesWithTheUnitCapabilities) {
  if (const std::string why = WhyNoRecording(); geteuid() != 0 || !why.empty())
    GTEST_SKIP() << (why.empty() ? "only root can give capabilities" : why);
  const std::string words = CapabilitiesOfTheUnit();
  prefix_.insert(prefix_.end(), {"--inh-caps=" + words, "--ambient-caps=" + words});
  if (Run({FLARESTACK_PROGRAM, "version"}).exit_code != 0)
    GTEST_SKIP() << "this process lacks one of " << words;
  const std::string worker = Compile(folder_, {.name = "worker", .source = std::string(kWorker)});
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  const std::string file = folder_.File("others.otlp");
  std::string recorder;
  for (const std::string& word : prefix_)
    recorder += word + " ";
  const RunResult run =
      RunProgram({"/bin/sh", "-c",
                  base::StrCat(worker, " 60 0 & worker=$!; ", recorder, FLARESTACK_PROGRAM,
                               " record -F 199 -d 1s -o ", file,
                               " -p $worker; status=$?; kill $worker; exit $status")});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  int64_t named = 0;
  for (const RecordedSample& sample : ReadSamples(file)) {
    if (sample.type == "samples" && HasInOrder(sample.user, {"main", "Work"}))
      named += sample.weight;
  }
  EXPECT_GE(named, 20);
}

TEST_F(RecordUnprivilegedTest, WholeHostNeedsPrivilegesAndTheErrorNamesTheFix) {
  const RunResult run =
      Run({FLARESTACK_PROGRAM, "record", "-a", "-d", "1s", "-o", folder_.File("all.otlp")});
  EXPECT_EQ(run.exit_code, 5) << run.error;
  EXPECT_THAT(run.error, HasSubstr("flarestack doctor"));
}

}  // namespace
}  // namespace flarestack::testing
