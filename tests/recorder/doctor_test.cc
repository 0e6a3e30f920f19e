// SPDX-License-Identifier: Apache-2.0
//
// The outputs of doctor agree with each other on any host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "record/testing/recording_here.h"
#include "recording.h"
#include "support/run_program.h"
#include "support/running_program.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(DoctorTest, ExitCodeMatchesTheReport) {
  const RunResult run = Flarestack({"doctor", "--format", "json", "-d", "0"});
  EXPECT_EQ(run.error, "");
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["schema"], "flarestack.doctor/1");
  const int expected = json["mode"] == "whole-system" ? 0 : json["lacksPrivilege"] == true ? 5 : 4;
  EXPECT_EQ(run.exit_code, expected);
  const RunResult text = Flarestack({"doctor", "-d", "0"});
  EXPECT_EQ(text.exit_code, expected);
  for (const auto& finding : json["findings"])
    EXPECT_THAT(text.out, HasSubstr(finding["id"].get<std::string>()));
}

TEST(DoctorTest, ShowsHowWellPythonIsRecorded) {
  if (const std::string why = record::agent::testing::WhyNoRecording(); !why.empty())
    GTEST_SKIP() << why;
  if (!HasProgram("/usr/bin/python3"))
    GTEST_SKIP() << "/usr/bin/python3 is not installed";
  const RunningProgram busy({"/usr/bin/python3", "-c", "while True: pass"});
  const RunResult run = Flarestack({"doctor", "--format", "json", "-d", "2"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  const auto recording = nlohmann::json::parse(run.out)["recording"];
  ASSERT_FALSE(recording.contains("error")) << recording;
  const auto python = std::ranges::find_if(recording["runtimes"], [](const nlohmann::json& one) {
    return one["runtime"].get<std::string>().starts_with("cpython 3.");
  });
  ASSERT_NE(python, recording["runtimes"].end()) << recording;
  EXPECT_GT((*python)["samplesComplete"], 0) << recording;
  EXPECT_GT((*python)["framesNamed"], 0) << recording;
  EXPECT_EQ(Flarestack({"doctor", "-d", "soon"}).exit_code, 2);
}

TEST(DoctorTest, ScriptIsValidShell) {
  const RunResult script = Flarestack({"doctor", "--fix-script"});
  EXPECT_EQ(script.exit_code, 0);
  EXPECT_THAT(script.out, StartsWith("#!/bin/sh\n"));
  const TemporaryFolder folder;
  const RunResult run = RunProgram({"/bin/sh", "-n", folder.Write("mend.sh", script.out)});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_EQ(Flarestack({"doctor", "--fix-script", "--format", "json"}).exit_code, 2);
}

// The capabilities in a setcap command.
std::string CapabilitiesOf(const std::string& command) {
  const size_t begin = command.find("setcap ") + std::string_view("setcap ").size();
  return command.substr(begin, command.find(" ", begin) - begin);
}

// A program with a capability outside the bounding set cannot be executed. As root, grants the
// proposed capabilities to a copy of `true`, which must still run within the same bounding set.
TEST(DoctorTest, ProposedCommandsLeaveTheProgramRunnable) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can set file capabilities";
  if (!HasProgram("setcap") || !HasProgram("setpriv"))
    GTEST_SKIP() << "setcap or setpriv is not installed";
  const TemporaryFolder folder;
  const std::string copy = folder.Write("true", ReadWhole("/bin/true"));
  std::filesystem::permissions(copy, std::filesystem::perms::all);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  for (const std::string removed : {"-sys_resource", "-sys_ptrace,-syslog", "-bpf", "-perfmon"}) {
    const auto bounded = [&](std::vector<std::string> words) {
      words.insert(words.begin(), {"/usr/bin/env", "setpriv", "--bounding-set=" + removed});
      return RunProgram(words);
    };
    const RunResult doctor = bounded({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                      FLARESTACK_PROGRAM, "doctor", "--format", "json"});
    if (doctor.out.empty())
      GTEST_SKIP() << "user 65534 cannot start " << FLARESTACK_PROGRAM << ": " << doctor.error;
    std::set<std::string> proposed;
    const nlohmann::json report = nlohmann::json::parse(doctor.out);
    for (const auto& finding : report["findings"]) {
      const std::string fix = finding["fix"];
      if (fix.find("setcap") != std::string::npos)
        proposed.insert(CapabilitiesOf(fix));
    }
    ASSERT_EQ(proposed.size(), 1u) << removed << doctor.out;
    const RunResult set = RunProgram({"/usr/bin/env", "setcap", *proposed.begin(), copy});
    if (set.exit_code != 0)
      GTEST_SKIP() << "setcap " << *proposed.begin() << ": " << set.error;
    const RunResult run = bounded({copy});
    EXPECT_EQ(run.exit_code, 0) << removed << " " << *proposed.begin() << ": " << run.error;
  }
}

}  // namespace
}  // namespace flarestack::testing
