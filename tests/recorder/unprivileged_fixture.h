// SPDX-License-Identifier: Apache-2.0
//
// The fixture of tests that record without privileges: the recorder cannot load BPF programs, and
// samples only its own command with perf events.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "recording.h"
#include "support/run_program.h"

namespace flarestack::testing {

class UnprivilegedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int paranoid = 3;
    std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid;
    if (paranoid > 2)
      GTEST_SKIP() << "kernel.perf_event_paranoid is " << paranoid;
    // As root, switch to the user nobody, who must be able to access the program and the folder.
    if (geteuid() == 0) {
      prefix_ = {"/usr/bin/env", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
      std::filesystem::permissions(folder_.File(""), std::filesystem::perms::all);
      if (!HasProgram("setpriv") || Run({FLARESTACK_PROGRAM, "version"}).exit_code != 0)
        GTEST_SKIP() << "user 65534 cannot start " << FLARESTACK_PROGRAM;
    }
  }

  RunResult Run(const std::vector<std::string>& command) const {
    std::vector<std::string> all = prefix_;
    all.insert(all.end(), command.begin(), command.end());
    return RunProgram(all);
  }

  TemporaryFolder folder_;
  std::vector<std::string> prefix_;
};

}  // namespace flarestack::testing
