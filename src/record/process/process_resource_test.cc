// SPDX-License-Identifier: Apache-2.0
#include "record/process/process_resource.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace flarestack::record::agent {
namespace {

// Returns the pid of a process that has exited.
pid_t EndedProcess() {
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  return child;
}

std::string TextOf(const ProcessResource& resource, std::string_view key) {
  const auto found = std::ranges::find(*resource.group, key, &TextAttribute::key);
  return found == resource.group->end() ? "" : found->value;
}

// The process is sampled during exec, and has exited when the sample is read.
TEST(ProcessResourcesTest, AddsAnExecutableThatBecomesKnownLater) {
  ProcessResources resources;
  ProcessIdentity identity = {.pid = EndedProcess(), .generation = 1, .command = "worker"};
  const auto now = ProcessResources::Time::clock::now();
  const auto first = resources.Of(identity, now);
  EXPECT_EQ(TextOf(*first, "process.executable.path"), "");
  EXPECT_EQ(resources.Of(identity, now), first);
  identity.executable = "/opt/worker";
  const auto second = resources.Of(identity, now);
  EXPECT_EQ(TextOf(*second, "process.executable.path"), "/opt/worker");
  EXPECT_EQ(TextOf(*second, "process.executable.name"), "worker");
  EXPECT_EQ(resources.Of(identity, now), second);
}

TEST(ProcessResourcesTest, NewProgramIsANewResource) {
  ProcessResources resources;
  ProcessIdentity identity = {
      .pid = EndedProcess(), .generation = 1, .command = "sh", .executable = "/bin/sh"};
  const auto now = ProcessResources::Time::clock::now();
  const auto first = resources.Of(identity, now);
  identity.generation = 2;
  identity.executable = "/opt/worker";
  const auto second = resources.Of(identity, now);
  EXPECT_EQ(TextOf(*first, "process.executable.path"), "/bin/sh");
  EXPECT_EQ(TextOf(*second, "process.executable.path"), "/opt/worker");
}

TEST(ProcessResourcesTest, ProcessesOfOneProgramShareAGroup) {
  ProcessResources resources;
  const auto now = ProcessResources::Time::clock::now();
  const auto of = [&](uint64_t generation, std::string_view executable) {
    return resources.Of({.pid = EndedProcess(),
                         .generation = generation,
                         .start_time_ns = generation,
                         .command = "worker",
                         .executable = executable},
                        now);
  };
  const auto first = of(1, "/opt/worker");
  const auto second = of(2, "/opt/worker");
  const auto other = of(3, "/opt/other");
  EXPECT_NE(first, second);
  EXPECT_EQ(first->group, second->group);
  EXPECT_NE(first->group, other->group);
  EXPECT_EQ(resources.group_count(), 2u);
}

TEST(ProcessResourcesTest, EvictsUnusedGroups) {
  ProcessResources resources;
  for (uint64_t i = 0; i < 3; ++i) {
    resources.Of({.pid = EndedProcess(), .generation = i, .executable = "/opt/worker"},
                 ProcessResources::Time::clock::now());
  }
  resources.Sweep();
  EXPECT_EQ(resources.group_count(), 1u);
  resources.Sweep();
  EXPECT_EQ(resources.group_count(), 0u);
}

uint64_t SinceBootNs() {
  timespec time = {};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// A script that keeps running, with its pid.
class RunningScript {
 public:
  RunningScript() {
    std::string name = ::testing::TempDir() + "script_XXXXXX";
    folder_ = mkdtemp(name.data());
    const std::string path = folder_ + "/nightly.sh";
    std::ofstream(path) << "echo x; read line\n";
    int ends[2][2];
    EXPECT_TRUE(pipe(ends[0]) == 0 && pipe(ends[1]) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[0][0], 0);
      dup2(ends[1][1], 1);
      execl("/bin/sh", "sh", path.c_str(), nullptr);
      _exit(1);
    }
    close(ends[0][0]);
    close(ends[1][1]);
    input_ = ends[0][1];
    char letter = 0;
    EXPECT_EQ(read(ends[1][0], &letter, 1), 1) << "the script does not run";
    close(ends[1][0]);
  }
  ~RunningScript() {
    kill(pid_, SIGKILL);
    close(input_);
    waitpid(pid_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }
  pid_t pid() const { return pid_; }

 private:
  std::string folder_;
  pid_t pid_ = 0;
  int input_ = -1;
};

// Programs such as cut and basename are not services.
TEST(ProcessResourcesTest, ShortLivedChildOfAScriptBelongsToTheScript) {
  const RunningScript script;
  ProcessResources resources;
  const auto now = ProcessResources::Time::clock::now();
  const ProcessIdentity cut = {.pid = EndedProcess(),
                               .parent = script.pid(),
                               .generation = 1,
                               .start_time_ns = SinceBootNs(),
                               .executable = "/usr/bin/cut"};
  const auto helper = resources.Of(cut, now);
  EXPECT_EQ(TextOf(*helper, "service.name"), "nightly.sh");
  EXPECT_EQ(TextOf(*helper, "flarestack.service.name.rule"), "starter");
  EXPECT_EQ(TextOf(*helper, "process.executable.name"), "cut");
  EXPECT_EQ(resources.Of(cut, now + std::chrono::seconds(5)), helper);
}

// For example the server that a container's entry point runs.
TEST(ProcessResourcesTest, LongLivedChildOfAScriptIsASeparateService) {
  const RunningScript script;
  ProcessResources resources;
  const auto now = ProcessResources::Time::clock::now();
  constexpr uint64_t kMinute = 60'000'000'000;
  if (SinceBootNs() < kMinute)
    GTEST_SKIP() << "nothing is older than this machine, which was just started";
  const uint64_t minute_ago = SinceBootNs() - kMinute;
  const auto server = resources.Of({.pid = EndedProcess(),
                                    .parent = script.pid(),
                                    .generation = 1,
                                    .start_time_ns = minute_ago,
                                    .executable = "/usr/bin/nginx"},
                                   now);
  EXPECT_EQ(TextOf(*server, "service.name"), "nginx");
}

TEST(ProcessResourcesTest, ProgramInMemoryIsNamedAfterItsStarter) {
  const RunningScript script;
  ProcessResources resources;
  const auto now = ProcessResources::Time::clock::now();
  const auto of = [&](pid_t parent) {
    return TextOf(*resources.Of({.pid = EndedProcess(),
                                 .parent = parent,
                                 .generation = 1,
                                 .start_time_ns = SinceBootNs(),
                                 .executable = "/memfd:runc_cloned:/proc/self/exe"},
                                now),
                  "service.name");
  };
  EXPECT_EQ(of(script.pid()), "nightly.sh");
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").filename().string();
  EXPECT_EQ(of(getpid()), self);
}

}  // namespace
}  // namespace flarestack::record::agent
