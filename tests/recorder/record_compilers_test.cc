// SPDX-License-Identifier: Apache-2.0
//
// One program, built in all common ways: every stack is unwound to its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text/text.h"
#include "record/testing/recording_here.h"
#include "recording.h"

namespace flarestack::testing {
namespace {

using record::agent::testing::WhyNoRecording;

// Frames of different sizes, with and without saved registers, and with a stack that grows while
// the function runs.
constexpr std::string_view kChain = R"(
#include <alloca.h>
#include <string.h>
NOINLINE void Inner(double seconds) { Burn(seconds); KEEP_FRAME; }
NOINLINE void Middle(double seconds, int bytes) {
  char* grown = (char*)alloca((unsigned long)bytes);
  memset(grown, 1, (unsigned long)bytes);
  sink += (unsigned long)grown[bytes / 2];
  Inner(seconds);
  sink += (unsigned long)grown[bytes / 3];
}
NOINLINE int Outer(double seconds, int a, int b, int c, int d) {
  char table[200];
  memset(table, a, sizeof(table));
  for (int i = 0; i < 10; ++i) {
    Middle(seconds / 10, 100 + i * 16);
    a += b * c + d + table[i];
  }
  return a;
}
int main(void) { sink = (unsigned long)Outer(kSeconds, 1, 2, 3, 4); return 0; }
)";

struct Build {
  std::string name;
  std::string compiler;
  std::string flags;
  std::string needs;  // programs required besides the compiler
};

void PrintTo(const Build& build, std::ostream* out) {
  *out << build.compiler << " " << build.flags;
}

class RecordCompilersTest : public ::testing::TestWithParam<Build> {};

TEST_P(RecordCompilersTest, UnwindsEveryStackToItsEnd) {
  if (const std::string why = WhyNoRecording(); !why.empty())
    GTEST_SKIP() << why;
  const Build& build = GetParam();
  for (const std::string& program : {build.compiler, build.needs}) {
    if (!program.empty() && !HasProgram(program))
      GTEST_SKIP() << program << " is not installed";
  }
  const TemporaryFolder folder;
  const std::string program = Compile(folder, {.name = "chain",
                                               .source = std::string(kChain),
                                               .compiler = build.compiler,
                                               .flags = build.flags});
  const Recording recording = Record(folder, {"-F", "499"}, {program});
  EXPECT_EQ(recording.run.exit_code, 0) << recording.run.error;
  const Share share = recording.CompleteOf("chain");
  ASSERT_GE(share.all, 40) << recording.run.error;
  EXPECT_LE(share.all - share.complete, 1 + share.all / 100)
      << ::testing::PrintToString(share.incomplete);
  EXPECT_GE(recording.CountWith("chain", {"_start", "main", "Outer", "Middle", "Inner"}),
            share.all - 2 - share.all / (IsEmulated() ? 20 : 50));
  RecordProperty("complete", base::StrCat(share.complete, " of ", share.all));
  std::printf("  complete: %ld of %ld\n", static_cast<long>(share.complete),
              static_cast<long>(share.all));
}

#if defined(__x86_64__)
constexpr char kProtection[] = "-O2 -fcf-protection=full";
#else
constexpr char kProtection[] = "-O2 -mbranch-protection=standard";
#endif

INSTANTIATE_TEST_SUITE_P(
    , RecordCompilersTest,
    ::testing::Values(Build{"Gcc", "gcc", "-O2 -fomit-frame-pointer", ""},
                      Build{"GccWithoutOptimization", "gcc", "-O0", ""},
                      Build{"GccFramePointers", "gcc", "-O2 -fno-omit-frame-pointer", ""},
                      Build{"GccForSize", "gcc", "-Os", ""},
                      Build{"GccProtection", "gcc", kProtection, ""},
                      Build{"GccStatic", "gcc", "-O2 -static", ""},
                      Build{"GccStaticPie", "gcc", "-O2 -static-pie", ""},
                      Build{"GccNotPie", "gcc", "-O2 -no-pie", ""},
                      Build{"Clang", "clang-14", "-O2 -fomit-frame-pointer", ""},
                      Build{"ClangFramePointers", "clang-14", "-O2 -fno-omit-frame-pointer", ""},
                      Build{"ClangProtection", "clang-14", kProtection, ""},
                      Build{"Lld", "clang-14", "-O2 -fuse-ld=lld-14", "ld.lld-14"},
                      Build{"Mold", "clang-14", "-O2 -fuse-ld=mold", "mold"}),
    [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace flarestack::testing
