// SPDX-License-Identifier: Apache-2.0
//
// Programs that are profiled from inside: by `record --in-process`, by LD_PRELOAD, and by calling
// the library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "record/process/context/process_context.h"
#include "recorder/recording.h"
#include "support/run_program.h"
#include "support/running_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Programs that need glibc and a preloaded library do not run under sanitizers.
class InProcessTest : public ::testing::Test {
 protected:
  // Records with -o; the file and its samples.
  Recording InProcess(const std::vector<std::string>& flags,
                      const std::vector<std::string>& command) {
    Recording recording;
    recording.path = folder_.File("recorded.otlp");
    std::vector<std::string> words = {"record", "--in-process", "-n", "0", "-o", recording.path};
    words.insert(words.end(), flags.begin(), flags.end());
    words.push_back("--");
    words.insert(words.end(), command.begin(), command.end());
    recording.run = Flarestack(words);
    if (recording.run.exit_code == 0)
      recording.samples = ReadSamples(recording.path);
    else
      ADD_FAILURE() << recording.run.error;
    return recording;
  }

  TemporaryFolder folder_;
};

int64_t WeightOf(const Recording& recording, std::string_view type, std::string_view function) {
  int64_t sum = 0;
  for (const RecordedSample& sample : recording.samples) {
    if (sample.type == type && HasInOrder(sample.user, {std::string(function)}))
      sum += sample.weight;
  }
  return sum;
}

int64_t WeightOf(const Recording& recording, std::string_view type) {
  int64_t sum = 0;
  for (const RecordedSample& sample : recording.samples)
    sum += sample.type == type ? sample.weight : 0;
  return sum;
}

TEST_F(InProcessTest, SharesOfCpuTimeAreThoseOfTheProgram) {
  const std::string program = Compile(folder_, {.name = "shares",
                                                .source = R"(
#include <pthread.h>
NOINLINE void Ten(double s) { Burn(s); KEEP_FRAME; }
NOINLINE void Twenty(double s) { Burn(2 * s); KEEP_FRAME; }
NOINLINE void Thirty(double s) { Burn(3 * s); KEEP_FRAME; }
NOINLINE void Forty(double s) { Burn(4 * s); KEEP_FRAME; }
static void* Work(void* unused) {
  for (int i = 0; i < 20; ++i) {
    Ten(kSeconds / 100); Twenty(kSeconds / 100); Thirty(kSeconds / 100); Forty(kSeconds / 100);
  }
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, Work, 0);
  Work(0);
  pthread_join(thread, 0);
  return 0;
}
)",
                                                .flags = "-O2 -lpthread"});
  const Recording recording = InProcess({"-F", "200"}, {program});
  const auto all = static_cast<double>(WeightOf(recording, "cpu"));
  const double samples = all / 5e6;
  ASSERT_GT(samples, 100);
  const std::vector<std::pair<std::string, double>> shares = {
      {"Ten", 0.1}, {"Twenty", 0.2}, {"Thirty", 0.3}, {"Forty", 0.4}};
  for (const auto& [function, share] : shares) {
    // Five standard deviations of a binomial share.
    EXPECT_NEAR(static_cast<double>(WeightOf(recording, "cpu", function)) / all, share,
                5 * std::sqrt(share * (1 - share) / samples))
        << function;
  }
  std::set<int64_t> threads;
  int64_t complete = 0;
  for (const RecordedSample& sample : recording.samples) {
    complete += sample.IsComplete() ? sample.weight : 0;
    threads.insert(std::stoll(sample.attributes.at("thread.id")));
  }
  EXPECT_EQ(threads.size(), 2);
  EXPECT_GE(static_cast<double>(complete), 0.99 * all);
  const RunResult check = Flarestack({"check", "--strict", recording.path});
  EXPECT_EQ(check.exit_code, 0) << check.out;
}

constexpr std::string_view kHeap = R"(
#include <stdlib.h>
NOINLINE void* Small(void) { void* p = malloc(2000); KEEP_FRAME; return p; }
NOINLINE void* Large(void) { void* p = calloc(1, 300000); KEEP_FRAME; return p; }
NOINLINE void* Leak(void) { void* p = realloc(0, 10000); KEEP_FRAME; return p; }
void* volatile kept[3000];
int main(void) {
  Burn(1.2); /* longer than an interval: only the last state of the heap counts */
  for (int i = 0; i < 3000; ++i) {
    for (int k = 0; k < 50; ++k) free(Small());
    free(Large());
    kept[i] = Leak();
  }
  return 0;
}
)";

TEST_F(InProcessTest, AllocationsAndLiveHeapAddUpToTheTruth) {
  const std::string program = Compile(folder_, {.name = "heap", .source = std::string(kHeap)});
  const Recording recording = InProcess({"-e", "alloc,heap"}, {program});
  // Each allocation of s bytes is sampled with p = 1 - exp(-s / 512 KiB).
  const auto expect_near = [&](std::string_view type, std::string_view function, double count,
                               double bytes) {
    const double p = 1 - std::exp(-bytes / (512 << 10));
    const double deviation = bytes * std::sqrt(count * (1 - p) / p);
    EXPECT_NEAR(static_cast<double>(WeightOf(recording, type, function)), count * bytes,
                5 * deviation)
        << type << " " << function;
  };
  expect_near("alloc_space", "Small", 150'000, 2000);
  expect_near("alloc_space", "Large", 3000, 300'000);
  expect_near("alloc_space", "Leak", 3000, 10'000);
  expect_near("inuse_space", "Leak", 3000, 10'000);
  EXPECT_EQ(WeightOf(recording, "inuse_space", "Small"), 0);
  EXPECT_EQ(WeightOf(recording, "inuse_space", "Large"), 0);
  const RunResult top =
      Flarestack({"top", recording.path, "--type", "inuse_space", "-n", "1", "--format", "csv"});
  EXPECT_THAT(top.out, HasSubstr("Leak"));
  EXPECT_EQ(Flarestack({"check", "--strict", recording.path}).exit_code, 0);
}

TEST_F(InProcessTest, ThreadsThatBlockAllSignalsAndProgramsThatUseTheSignalAreSampled) {
  const std::string program = Compile(folder_, {.name = "signals",
                                                .source = R"(
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
static volatile int own;
static void OnOwn(int number) { ++own; }
NOINLINE void Blocked(void) { Burn(kSeconds); KEEP_FRAME; }
static void* Work(void* unused) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, 0);
  Blocked();
  return 0;
}
NOINLINE void Handled(void) { Burn(kSeconds); KEEP_FRAME; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, Work, 0);
  pthread_join(thread, 0);
  signal(SIGPROF, OnOwn);
  raise(SIGPROF);
  const int once = own;
  Handled();
  return once == 1 && own == 1 ? 0 : 3;
}
)",
                                                .flags = "-O2 -lpthread"});
  const Recording recording = InProcess({}, {program});
  EXPECT_GT(WeightOf(recording, "cpu", "Blocked"), 100'000'000);
  EXPECT_GT(WeightOf(recording, "cpu", "Handled"), 100'000'000);
}

TEST_F(InProcessTest, ChildrenAreProcessesOfTheirOwn) {
  const std::string program = Compile(folder_, {.name = "forks", .source = R"(
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
NOINLINE void Parent(void) { Burn(kSeconds / 2); KEEP_FRAME; }
NOINLINE void Child(void) { Burn(kSeconds / 2); KEEP_FRAME; }
int main(int count, char** words) {
  if (count > 1) { Child(); return 0; }
  for (int i = 0; i < 2; ++i) {
    const pid_t pid = fork();
    if (pid == 0 && i == 0) { Child(); exit(0); }
    if (pid == 0) execl(words[0], words[0], "again", (char*)0);
    waitpid(pid, 0, 0);
  }
  Parent();
  return 0;
}
)"});
  const Recording recording = InProcess({}, {program});
  std::set<int64_t> parents;
  std::set<int64_t> children;
  for (const RecordedSample& sample : recording.samples) {
    if (HasInOrder(sample.user, {"Parent"}))
      parents.insert(sample.pid);
    if (HasInOrder(sample.user, {"Child"}))
      children.insert(sample.pid);
  }
  EXPECT_EQ(parents.size(), 1);
  EXPECT_EQ(children.size(), 2);
  EXPECT_FALSE(children.contains(*parents.begin()));
}

TEST_F(InProcessTest, KeepsTheExitStatusAndReportsWhatCannotBeRecorded) {
  const std::string program =
      Compile(folder_, {.name = "status", .source = "int main(void) { Burn(0.2); return 7; }"});
  const std::string out = folder_.File("out.otlp");
  EXPECT_EQ(Flarestack({"record", "--in-process", "-n", "0", "-o", out, "--", program}).exit_code,
            7);

  const std::string still = Compile(
      folder_, {.name = "still", .source = "int main(void) { return 0; }", .flags = "-static"});
  const RunResult rejected = Flarestack({"record", "--in-process", "-o", out, "--", still});
  EXPECT_EQ(rejected.exit_code, 1);
  EXPECT_THAT(rejected.error, HasSubstr("is linked statically"));

  EXPECT_THAT(Flarestack({"record", "--in-process", "-e", "off_cpu", "--", program}).error,
              HasSubstr("it records cpu, alloc and heap"));
  EXPECT_THAT(Flarestack({"record", "--in-process", "-a"}).error, HasSubstr("needs a command"));
}

// A program that calls the library. $BUILD is the folder of the libraries.
std::string CompileWithLibrary(const TemporaryFolder& folder, const std::string& name,
                               const std::string& source, const std::string& library) {
  return Compile(folder,
                 {.name = name,
                  .source = source,
                  .compiler = "g++",
                  .flags = base::StrCat("-std=c++17 -O2 -I", FLARESTACK_INCLUDE, " ", library,
                                        " -Wl,-rpath,", FLARESTACK_LIBRARIES, " -lpthread -ldl")});
}

constexpr std::string_view kSpans = R"(
#include "flarestack/profiler.h"
NOINLINE void Traced() { Burn(kSeconds / 2); KEEP_FRAME; }
NOINLINE void Paused() { Burn(kSeconds / 2); KEEP_FRAME; }
NOINLINE void Untraced() { Burn(kSeconds / 2); KEEP_FRAME; }
int main(int, char** words) {
  auto provider = flarestack::ProfilerProvider::Create(
      {.exporter = flarestack::FileExporter{words[1]}, .service_name = "cart"});
  if (!flarestack::SetProfilerProvider(provider)) return 3;
  static const flarestack::LabelKey route("http.route");
  flarestack::SpanContext span = {{0x5b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                  {0xee, 1, 2, 3, 4, 5, 6, 7}, 1};
  {
    const flarestack::SpanScope scope(span);
    const flarestack::LabelScope label(route, "/cart");
    Traced();
  }
  Untraced();
  {
    const flarestack::PauseScope pause;
    Paused();
  }
  if (!provider->ForceFlush()) return 4;
  return provider->Shutdown() && provider->error().empty() ? 0 : 5;
}
)";

TEST_F(InProcessTest, SamplesOfAProgramWithTheLibraryLinkToItsSpans) {
  for (const std::string library : {"libflarestack_profiler.so", "libflarestack_profiler.a"}) {
    const std::string program = CompileWithLibrary(
        folder_, "spans", std::string(kSpans), base::StrCat(FLARESTACK_LIBRARIES, "/", library));
    const std::string path = folder_.File(library + ".otlp");
    const RunResult run = RunProgram({program, path});
    ASSERT_EQ(run.exit_code, 0) << library << run.error;
    const RunResult symbolized =
        Flarestack({"convert", "--symbolize", path, folder_.File("named.otlp")});
    ASSERT_EQ(symbolized.exit_code, 0) << symbolized.error;
    Recording recording;
    recording.samples = ReadSamples(folder_.File("named.otlp"));
    EXPECT_GT(WeightOf(recording, "cpu", "Untraced()"), 50'000'000);
    int64_t labelled = 0;
    for (const RecordedSample& sample : recording.samples) {
      EXPECT_EQ(sample.service.substr(0, 4), "cart");
      const bool is_traced = HasInOrder(sample.user, {"Traced()"});
      EXPECT_EQ(sample.attributes.contains("http.route"), is_traced);
      labelled += is_traced ? sample.weight : 0;
    }
    EXPECT_GT(labelled, 50'000'000);
    EXPECT_EQ(WeightOf(recording, "cpu", "Paused()"), 0);
    const RunResult json = Flarestack({"convert", "--to", "otlp-json", path, "-"});
    EXPECT_THAT(json.out, AllOf(HasSubstr("5b0102030405060708090a0b0c0d0e0f"),
                                HasSubstr("ee01020304050607")));
    EXPECT_EQ(Flarestack({"check", "--strict", path}).exit_code, 0);
  }
}

TEST_F(InProcessTest, PublishesWhoItIsForOtherProfilers) {
  const std::string program = Compile(folder_, {.name = "waits", .source = R"(
#include <unistd.h>
int main(void) { write(1, "ready\n", 6); pause(); return 0; }
)"});
  RunningProgram running(
      {"/usr/bin/env",
       base::StrCat("LD_PRELOAD=", FLARESTACK_LIBRARIES, "/libflarestack_preload.so"),
       "OTEL_PROFILES_EXPORTER=none", "OTEL_SERVICE_NAME=checkout", program});
  ASSERT_TRUE(running.ReadUntil("ready")) << running.printed();
  const auto context = record::agent::ReadProcessContext(running.pid());
  ASSERT_TRUE(context.ok()) << context.status();
  ASSERT_TRUE(context->has_value());
  EXPECT_EQ((*context)->service_name(), "checkout");
  EXPECT_EQ((*context)->thread_schema_version(), "tlsdesc_v1_dev");
  running.End(SIGKILL);
}

TEST_F(InProcessTest, SendsToAServer) {
  ServerProcess server(folder_.File("data"));
  ASSERT_TRUE(server.is_running()) << server.startup_error();
  const std::string program =
      Compile(folder_, {.name = "sends", .source = "int main(void) { Burn(0.3); return 0; }"});
  const RunResult run = RunProgram(
      {"/usr/bin/env",
       base::StrCat("LD_PRELOAD=", FLARESTACK_LIBRARIES, "/libflarestack_preload.so"),
       "OTEL_EXPORTER_OTLP_ENDPOINT=" + server.otlp_http(), "OTEL_SERVICE_NAME=cart", program});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.error, "");
  const RunResult top = Flarestack(
      {"top", "--server", server.http(), "-q", "{service.name=\"cart\"}", "--format", "csv"});
  EXPECT_EQ(top.exit_code, 0) << top.error;
  EXPECT_THAT(top.out, HasSubstr(",sends,"));
}

TEST_F(InProcessTest, AServerThatIsNotThereDelaysNothingAndIsReportedOnce) {
  const std::string program =
      Compile(folder_, {.name = "alone", .source = "int main(void) { Burn(0.1); return 0; }"});
  const RunResult run =
      RunProgram({"/usr/bin/env",
                  base::StrCat("LD_PRELOAD=", FLARESTACK_LIBRARIES, "/libflarestack_preload.so"),
                  "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", program});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.error, HasSubstr("profiles are not delivered: cannot connect to 127.0.0.1:1"));
}

TEST(SdkLibraryTest, ExportsOnlyItsInterface) {
  const RunResult symbols =
      RunProgram({"/bin/sh", "-c",
                  base::StrCat("nm -D --defined-only ", FLARESTACK_LIBRARIES,
                               "/libflarestack_preload.so | cut -d' ' -f3 | sort | tr '\\n' ' '")});
  EXPECT_EQ(symbols.out,
            "aligned_alloc calloc flarestack_label_current flarestack_label_key "
            "flarestack_label_set flarestack_profiler_error flarestack_profiler_flush "
            "flarestack_profiler_pause flarestack_profiler_resume flarestack_profiler_start "
            "flarestack_profiler_stats flarestack_profiler_stop flarestack_span_attach "
            "flarestack_span_current flarestack_span_detach free malloc memalign "
            "otel_thread_ctx_v1 posix_memalign pthread_create pthread_sigmask pvalloc realloc "
            "reallocarray sigaction signal sigprocmask valloc ");
}

TEST(SdkLibraryTest, NeedsOnlyLibc) {
  const RunResult needed = RunProgram({"/bin/sh", "-c",
                                       base::StrCat("readelf -d ", FLARESTACK_LIBRARIES,
                                                    "/libflarestack_preload.so | grep NEEDED")});
  EXPECT_THAT(needed.out, Not(HasSubstr("stdc++")));
  EXPECT_THAT(needed.out, Not(HasSubstr("absl")));
  EXPECT_THAT(needed.out, HasSubstr("libc.so.6"));
}

// Allocating, locking or printing in a signal handler can block the program for ever.
TEST(SdkLibraryTest, SignalHandlersCallNothingThatIsForbiddenThere) {
  const RunResult calls =
      RunProgram({"/bin/sh", "-c",
                  base::StrCat("find ", FLARESTACK_LIBRARIES,
                               "/CMakeFiles/flarestack_sdk_core.dir -name '*_signal.cc.o' -print "
                               "-exec nm --undefined-only '{}' ';'")});
  EXPECT_THAT(calls.out, HasSubstr("capture_signal.cc.o"));
  for (const std::string forbidden :
       {" malloc", " calloc", " free", " _Znw", " _Zdl", " pthread_", " printf", " dprintf",
        " snprintf", " dlsym", " dl_iterate_phdr", " __cxa_guard", " getenv", " abort"})
    EXPECT_THAT(calls.out, Not(HasSubstr(forbidden + "\n"))) << forbidden;
  EXPECT_THAT(calls.out, Not(HasSubstr("pthread_mutex")));
}

}  // namespace
}  // namespace flarestack::testing
