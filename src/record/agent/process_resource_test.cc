// SPDX-License-Identifier: Apache-2.0
#include "record/agent/process_resource.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace flarestack::record::agent {
namespace {

// The number of a process that has ended.
pid_t EndedProcess() {
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  return child;
}

std::string TextOf(const ProcessResource& resource, std::string_view key) {
  const auto found = std::ranges::find(resource.attributes, key, &TextAttribute::key);
  return found == resource.attributes.end() ? "" : found->value;
}

// It is sampled while it starts its program, and has ended when that is read.
TEST(ProcessResourcesTest, AnExecutableThatIsKnownLaterIsTold) {
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

TEST(ProcessResourcesTest, AnotherProgramIsAnotherResource) {
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

}  // namespace
}  // namespace flarestack::record::agent
