// SPDX-License-Identifier: Apache-2.0
//
// Whatever this host allows: the answers of doctor go together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "run_program.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(DoctorTest, ExitCodeSaysWhatTheReportSays) {
  const RunResult run = Flarestack({"doctor", "--format", "json"});
  EXPECT_EQ(run.error, "");
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["schema"], "flarestack.doctor/1");
  const int expected = json["mode"] == "whole-system" ? 0 : json["lacksPrivilege"] == true ? 5 : 4;
  EXPECT_EQ(run.exit_code, expected);
  const RunResult text = Flarestack({"doctor"});
  EXPECT_EQ(text.exit_code, expected);
  for (const auto& finding : json["findings"])
    EXPECT_THAT(text.out, HasSubstr(finding["id"].get<std::string>()));
}

TEST(DoctorTest, ScriptCanBeReadByAShell) {
  const RunResult script = Flarestack({"doctor", "--fix-script"});
  EXPECT_EQ(script.exit_code, 0);
  EXPECT_THAT(script.out, StartsWith("#!/bin/sh\n"));
  const TemporaryFolder folder;
  const RunResult run = RunProgram({"/bin/sh", "-n", folder.Write("mend.sh", script.out)});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_EQ(Flarestack({"doctor", "--fix-script", "--format", "json"}).exit_code, 2);
}

}  // namespace
}  // namespace flarestack::testing
