// SPDX-License-Identifier: Apache-2.0
//
// Programs whose code is loaded late, moves, or is in a file that others cannot see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text/text.h"
#include "recording_fixture.h"

namespace flarestack::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsTrue;

using RecordFilesTest = RecordingTest;

TEST_F(RecordFilesTest, RecordsAPluginLoadedLate) {
  const std::string plugin = Compile(folder_, {.name = "plugin.so",
                                               .source = R"(
NOINLINE void InPlugin(void (*call)(double)) { call(kSeconds / 10); KEEP_FRAME; }
)",
                                               .flags = "-O2 -shared -fPIC"});
  const Recording recording = RecordSource({.name = "loader",
                                            .source = base::StrCat(R"(
#include <dlfcn.h>
NOINLINE void Work(double seconds) { Burn(seconds); KEEP_FRAME; }
int main(void) {
  Burn(kSeconds / 4);
  for (int i = 0; i < 10; ++i) {
    void* library = dlopen(")",
                                                                   plugin, R"(", RTLD_NOW);
    void (*in_plugin)(void (*)(double)) = (void (*)(void (*)(double)))dlsym(library, "InPlugin");
    in_plugin(Work);
    dlclose(library);
  }
  return 0;
}
)")});
  ExpectComplete(recording, "loader");
  ExpectChain(recording, "loader", 0.75, {"_start", "main", "InPlugin", "Work"});
}

// Same addresses and same instructions, except for the frame size: the unwind rules of one must not
// be used for the other.
TEST_F(RecordFilesTest, RecordsPluginsThatAlternateAtOneAddress) {
  if (IsEmulated())
    GTEST_SKIP() << "too slow in an emulated machine: the recorder notices new plugins too late";
  const auto compile = [&](const std::string& function, int frame_bytes) {
    return Compile(folder_, {.name = function + ".so",
                             .source = base::StrCat("NOINLINE void ", function, R"(
(void (*call)(double)) {
  volatile char room[)",
                                                    frame_bytes, R"(];
  room[0] = 0;
  call(kSeconds / 6);
  room[1] = 0;
  KEEP_FRAME;
}
)"),
                             .flags = "-O2 -shared -fPIC"});
  };
  const std::string first = compile("InFirst", 1000);
  const std::string second = compile("InOther", 3000);
  const Recording recording = RecordSource({.name = "turns",
                                            .source = base::StrCat(R"(
#include <dlfcn.h>
NOINLINE void Work(double seconds) { Burn(seconds); KEEP_FRAME; }
int main(void) {
  for (int i = 0; i < 6; ++i) {
    void* library = dlopen(i % 2 ? ")",
                                                                   first, R"(" : ")", second,
                                                                   R"(", RTLD_NOW);
    void* in_plugin = dlsym(library, i % 2 ? "InFirst" : "InOther");
    ((void (*)(void (*)(double)))in_plugin)(Work);
    dlclose(library);
  }
  return 0;
}
)")});
  ExpectComplete(recording, "turns", /*percent_missing_max=*/10);
  // The recorder notices a new mapping with a short delay.
  ExpectChain(recording, "turns", 0.35, {"_start", "main", "InFirst", "Work"});
  ExpectChain(recording, "turns", 0.35, {"_start", "main", "InOther", "Work"});
}

constexpr std::string_view kWorker = R"(
NOINLINE void Work(double seconds) { Burn(seconds); KEEP_FRAME; }
int main(void) { Work(kSeconds); return 0; }
)";

TEST_F(RecordFilesTest, StrippedProgramHasAddressesAndBuildIds) {
  const Recording recording = RecordSource(
      {.name = "stripped", .source = std::string(kWorker), .flags = "-O2 -s -Wl,--build-id"});
  ExpectComplete(recording, "stripped");
  for (const RecordedSample& sample : recording.samples) {
    if (sample.type != "samples" || sample.command != "stripped" || !sample.IsComplete())
      continue;
    EXPECT_THAT(sample.has_build_id, Each(IsTrue())) << StackText(sample);
    // The loader runs first.
    EXPECT_THAT(sample.user.front(),
                ::testing::AnyOf(HasSubstr("stripped!0x"), HasSubstr("ld-linux"), "_start"));
  }
}

TEST_F(RecordFilesTest, RecordsAProgramDeletedWhileItRuns) {
  const Recording recording = RecordSource({.name = "deleted", .source = R"(
#include <unistd.h>
NOINLINE void Work(double seconds) { Burn(seconds); KEEP_FRAME; }
int main(int count, char** words) {
  unlink(words[0]);
  Work(kSeconds);
  return 0;
}
)"});
  EXPECT_EQ(recording.run.exit_code, 0);
  ExpectComplete(recording, "deleted");
}

TEST_F(RecordFilesTest, RecordsAProgramThatExistsOnlyInMemory) {
  if (IsEmulated())
    GTEST_SKIP() << "too slow in an emulated machine: the recorder notices the file too late";
  const std::string worker = Compile(folder_, {.name = "worker", .source = std::string(kWorker)});
  const std::string launcher = Compile(folder_, {.name = "launcher", .source = R"(
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <unistd.h>
extern char** environ;
int main(int count, char** words) {
  const int from = open(words[1], O_RDONLY);
  const int to = memfd_create("inmemory", MFD_CLOEXEC);
  while (sendfile(to, from, 0, 1 << 20) > 0) {
  }
  fexecve(to, words, environ);
  return 1;
}
)"});
  const Recording recording = Record(folder_, {"-F", "499"}, {launcher, worker});
  EXPECT_EQ(recording.run.exit_code, 0);
  int64_t all = 0;
  int64_t complete = 0;
  std::string incomplete;
  for (const RecordedSample& sample : recording.samples) {
    if (sample.type != "samples" || sample.user.empty() ||
        sample.executable.find("inmemory") == std::string::npos)
      continue;
    all += sample.weight;
    complete += sample.IsComplete() ? sample.weight : 0;
    if (!sample.IsComplete())
      incomplete += StackText(sample) + "\n";
  }
  EXPECT_GE(all, 40) << SomeStack(recording, "3");
  EXPECT_LE(all - complete, 1 + all / 100) << incomplete;
}

// Its file is in a private file system, and its pid in its namespace is a small number.
TEST_F(RecordFilesTest, RecordsAProgramInSeparateNamespaces) {
  const std::string worker = Compile(folder_, {.name = "hidden", .source = std::string(kWorker)});
  const std::string place = folder_.File("private");
  const std::string script = base::StrCat("mkdir ", place, " && mount -t tmpfs none ", place,
                                          " && cp ", worker, " ", place, " && ", place, "/hidden");
  if (RunProgram({"/bin/sh", "-c", "unshare -m -p --fork true"}).exit_code != 0)
    GTEST_SKIP() << "cannot create namespaces";
  const Recording recording = Record(
      folder_, {"-F", "499"},
      {"unshare", "-m", "-p", "--fork", "--propagation", "private", "/bin/sh", "-c", script});
  EXPECT_EQ(recording.run.exit_code, 0) << recording.run.error;
  ExpectComplete(recording, "hidden");
}

}  // namespace
}  // namespace flarestack::testing
