// SPDX-License-Identifier: Apache-2.0
//
// The fixture of tests that compile and record programs.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "record/testing/recording_here.h"
#include "recording.h"

namespace flarestack::testing {

class RecordingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = record::agent::testing::WhyNoRecording(); !why.empty())
      GTEST_SKIP() << why;
  }

  // At most `percent_missing_max` percent of the stacks, plus one, are incomplete. Requires enough
  // samples to tell.
  static void ExpectComplete(const Recording& recording, const std::string& command,
                             int64_t percent_missing_max = 1) {
    const Share share = recording.CompleteOf(command);
    ASSERT_GE(share.all, 40) << recording.run.error;
    EXPECT_LE(share.all - share.complete, 1 + share.all * percent_missing_max / 100)
        << ::testing::PrintToString(share.incomplete);
    std::printf("  complete: %ld of %ld\n", static_cast<long>(share.complete),
                static_cast<long>(share.all));
  }

  // At least this part of the samples has these functions in this order. Samples in the kernel do
  // not count: how long the kernel works for a program (its exit, its mappings) depends on other
  // CPUs.
  static void ExpectChain(const Recording& recording, const std::string& command, double part,
                          const std::vector<std::string>& functions) {
    int64_t all = 0;
    int64_t with_chain = 0;
    for (const RecordedSample& sample : recording.samples) {
      if (sample.type != "samples" || sample.command != command || !sample.kernel.empty())
        continue;
      all += sample.weight;
      with_chain += HasInOrder(sample.user, functions) ? sample.weight : 0;
    }
    EXPECT_GT(all, 0);
    EXPECT_GE(static_cast<double>(with_chain), part * static_cast<double>(all))
        << SomeStack(recording, command);
  }

  // All samples of the program, including those from before its runtime was recognized.
  static void ExpectIdentity(const Recording& recording, std::string_view executable,
                             std::string_view service, std::string_view runtime) {
    int64_t count = 0;
    for (const RecordedSample& sample : recording.samples) {
      if (!sample.executable.ends_with(executable))
        continue;
      ++count;
      ASSERT_EQ(sample.service, service);
      ASSERT_TRUE(sample.runtime.starts_with(runtime)) << sample.runtime;
    }
    EXPECT_GT(count, 0) << recording.run.error;
  }

  static std::string SomeStack(const Recording& recording, const std::string& command) {
    std::string text;
    for (const RecordedSample& sample : recording.samples) {
      if (sample.command == command && text.size() < 4000)
        text += StackText(sample) + "\n";
    }
    return text;
  }

  Recording RecordSource(const ProgramOptions& options) {
    return Record(folder_, {"-F", "499"}, {Compile(folder_, options)});
  }

  TemporaryFolder folder_;
};

}  // namespace flarestack::testing
