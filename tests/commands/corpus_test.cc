// SPDX-License-Identifier: Apache-2.0
//
// The program behind `./dev corpus`, on the shipped examples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/run_program.h"

namespace flarestack::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(CorpusTest, ExamplesLoseNothing) {
  const RunResult run = RunProgram({FLARESTACK_CORPUS, Example("")});
  EXPECT_EQ(run.exit_code, 0) << run.out;
  EXPECT_THAT(run.out, ContainsRegex("checkout.pb.gz +pprof .* all\n"));
  EXPECT_THAT(run.out, ContainsRegex("checkout.otlp +otlp +1.10 or later .* all\n"));
  EXPECT_THAT(run.out, ContainsRegex("checkout.folded +folded .* all\n"));
}

TEST(CorpusTest, OnlyAnUnreadableFileIsAFailure) {
  const TemporaryFolder folder;
  folder.Write("readme", "no profile at all");
  folder.Write("good.folded", "main 1\n");
  EXPECT_EQ(RunProgram({FLARESTACK_CORPUS, folder.path()}).exit_code, 0);
  folder.Write("cut.otlp", ReadWhole(Example("checkout.otlp")).substr(0, 9000));
  const RunResult run = RunProgram({FLARESTACK_CORPUS, folder.path()});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, HasSubstr("3 files, 1 with losses"));
}

}  // namespace
}  // namespace flarestack::testing
