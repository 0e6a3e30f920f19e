// SPDX-License-Identifier: Apache-2.0
//
// Conversion with the real program: any input format to any output format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/compress/compress.h"
#include "codec/registry.h"
#include "support/run_program.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The samples/count of a profile as folded text, which all formats can represent.
std::string Counts(const std::string& path) {
  const RunResult run = Flarestack({"convert", path, "-", "--to", "folded", "--type", "samples"});
  EXPECT_EQ(run.exit_code, 0) << path << "\n" << run.error;
  return run.out;
}

std::string Folded(std::string_view text, const std::vector<std::string>& flags = {}) {
  std::vector<std::string> words = {"convert", "-", "-", "--to", "folded"};
  words.insert(words.end(), flags.begin(), flags.end());
  const RunResult run = Flarestack(words, {.input = std::string(text)});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  return run.out;
}

TEST(ConvertTest, ConvertsEveryFormatToEveryOther) {
  const TemporaryFolder folder;
  std::vector<std::string> inputs = {Example("checkout.pb.gz"), Example("checkout.otlp"),
                                     Example("checkout.folded")};
  const std::string json = folder.File("in.json");
  ASSERT_EQ(Flarestack({"convert", Example("checkout.otlp"), json}).exit_code, 0);
  inputs.push_back(json);
  for (const std::string& input : inputs) {
    const std::string expected = Counts(input);
    for (const codec::Writer* writer : codec::Writers()) {
      const std::string output = folder.File("out" + std::string(writer->extensions[0]));
      SCOPED_TRACE(input + " to " + output);
      const RunResult run = Flarestack({"convert", input, output});
      ASSERT_EQ(run.exit_code, 0) << run.error;
      EXPECT_EQ(run.out, "");
      const bool is_readable = codec::FindReader(ReadWhole(output)) != nullptr;
      if (writer->name == "speedscope" || writer->name == "svg" || writer->name == "csv") {
        EXPECT_GT(ReadWhole(output).size(), 1000U);
      } else if (writer->name == "folded") {
        EXPECT_TRUE(is_readable);
        EXPECT_THAT(ReadWhole(output), HasSubstr("regexp.(*Regexp).tryBacktrack"));
      } else {
        EXPECT_EQ(Counts(output), expected);
      }
    }
  }
}

TEST(ConvertTest, ThreeExamplesContainTheSameSamples) {
  EXPECT_EQ(Counts(Example("checkout.otlp")), Counts(Example("checkout.pb.gz")));
  std::string without_marks = Counts(Example("checkout.folded"));
  for (size_t at = 0; (at = without_marks.find("_[k]", at)) != std::string::npos;)
    without_marks.erase(at, 4);
  EXPECT_EQ(Counts(Example("checkout.pb.gz")), without_marks);
}

TEST(ConvertTest, TextFormatsBeginCorrectly) {
  const std::string input = Example("checkout.pb.gz");
  const auto begin = [&](const char* format) {
    return Flarestack({"convert", input, "-", "--to", format}).out;
  };
  EXPECT_THAT(begin("csv"), StartsWith("stack,"));
  EXPECT_THAT(begin("speedscope"), StartsWith("{\"$schema\""));
  EXPECT_THAT(begin("svg"), HasSubstr("<svg"));
  EXPECT_THAT(begin("otlp-json"), StartsWith("{\"resourceProfiles\""));
}

TEST(ConvertTest, AddsSeveralInputs) {
  const TemporaryFolder folder;
  const std::string one = folder.Write("one.folded", "main;a 1\nmain;b 2\n");
  const std::string two = folder.Write("two.folded", "main;b 40\nmain;c 5\n");
  const std::string packed = folder.File("two.pb.gz");
  ASSERT_EQ(Flarestack({"convert", two, packed}).exit_code, 0);
  for (const std::string& second : {two, packed}) {
    const RunResult run = Flarestack({"convert", one, second, "-", "--to", "folded"});
    EXPECT_EQ(run.exit_code, 0) << run.error;
    EXPECT_EQ(run.out, "main;a 1\nmain;b 42\nmain;c 5\n");
  }
}

TEST(ConvertTest, MergedPprofFileAddsUp) {
  const TemporaryFolder folder;
  const std::string merged = folder.File("merged.pb.gz");
  ASSERT_EQ(Flarestack({"convert", Example("checkout.pb.gz"), Example("checkout.pb.gz"), merged})
                .exit_code,
            0);
  const RunResult run = Flarestack({"convert", merged, "-", "--to", "folded", "--type", "samples"});
  EXPECT_THAT(run.out, HasSubstr("regexp.(*Regexp).tryBacktrack 286\n"));
}

TEST(ConvertTest, MinusMeansStandardInputAndOutput) {
  EXPECT_EQ(Folded("main;run 3\nmain 1\n"), "main 1\nmain;run 3\n");
}

TEST(ConvertTest, StandardInputMayAppearBetweenFiles) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("a", "main 1\n");
  const RunResult run =
      Flarestack({"convert", file, "-", file, "-", "--to", "folded"}, {.input = "main 40\n"});
  EXPECT_EQ(run.out, "main 42\n") << run.error;
}

TEST(ConvertTest, DetectsTheFormatByContentNotByName) {
  const TemporaryFolder folder;
  const std::string odd = folder.Write("profile.svg", ReadWhole(Example("checkout.pb.gz")));
  EXPECT_EQ(Counts(odd), Counts(Example("checkout.pb.gz")));
}

TEST(ConvertTest, AcceptsCompressedInput) {
  const std::string text = "main;run 3\n";
  EXPECT_EQ(Folded(base::Gzip(text)), text);
  EXPECT_EQ(Folded(base::Zstd(text)), text);
  EXPECT_EQ(Folded(base::Gzip("main;run 1\n") + base::Gzip("main;run 2\n")), text);
}

TEST(ConvertTest, OutputNameSelectsCompression) {
  const TemporaryFolder folder;
  const std::string in = folder.Write("in", "main;run 3\n");
  for (const char* name : {"out.folded.gz", "out.folded.zst"}) {
    const std::string out = folder.File(name);
    ASSERT_EQ(Flarestack({"convert", in, out}).exit_code, 0);
    EXPECT_TRUE(base::LooksLikeGzip(ReadWhole(out)) || base::LooksLikeZstd(ReadWhole(out)));
    EXPECT_EQ(Counts(out), "main;run 3\n");
  }
}

TEST(ConvertTest, ToOverridesTheExtension) {
  const TemporaryFolder folder;
  const std::string out = folder.File("out.svg");
  ASSERT_EQ(Flarestack({"convert", "-", out, "--to", "folded"}, {.input = "main 3\n"}).exit_code,
            0);
  EXPECT_EQ(ReadWhole(out), "main 3\n");
}

TEST(ConvertTest, SelectsTheTypeByNameOrByNameAndUnit) {
  const std::string input = Example("checkout.pb.gz");
  const auto last = [&](const char* type) {
    const RunResult run = Flarestack({"convert", input, "-", "--to", "folded", "--type", type});
    return run.out.substr(run.out.find_last_of(' '));
  };
  EXPECT_EQ(last("samples"), last("samples/count"));
  EXPECT_EQ(last("cpu"), last("cpu/nanoseconds"));
  EXPECT_NE(last("cpu"), last("samples"));
}

TEST(ConvertTest, MissingTypeExitsWith3AndListsTheAvailableOnes) {
  const TemporaryFolder folder;
  folder.Write("out.svg", "precious");
  const RunResult run =
      Flarestack({"convert", "--type", "inuse_space", Example("checkout.pb.gz"), "out.svg"},
                 {.directory = folder.path()});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.error, HasSubstr("samples/count"));
  EXPECT_THAT(run.error, HasSubstr("cpu/nanoseconds"));
  EXPECT_EQ(folder.Listing(), "out.svg ");
  EXPECT_EQ(ReadWhole(folder.File("out.svg")), "precious");
}

TEST(ConvertTest, SameInputGivesTheSameBytes) {
  for (const codec::Writer* writer : codec::Writers()) {
    const std::vector<std::string> words = {
        "convert", Example("checkout.otlp"), Example("checkout.pb.gz"), "-",
        "--to",    std::string(writer->name)};
    const RunResult first = Flarestack(words);
    ASSERT_EQ(first.exit_code, 0) << first.error;
    EXPECT_EQ(first.out, Flarestack(words).out) << writer->name;
  }
}

TEST(ConvertTest, ConvertsAStackOfAHundredThousandFrames) {
  std::string stack = "root";
  for (int i = 0; i < 100'000; ++i)
    stack += ";f";
  const TemporaryFolder folder;
  const std::string input = folder.Write("in", stack + " 7\n");
  EXPECT_EQ(Counts(input), stack + " 7\n");
  for (const codec::Writer* writer : codec::Writers()) {
    const std::string output = folder.File("out" + std::string(writer->extensions[0]));
    const RunResult run = Flarestack({"convert", input, output});
    EXPECT_EQ(run.exit_code, 0) << writer->name << run.error;
  }
  EXPECT_EQ(Counts(folder.File("out.pb.gz")), stack + " 7\n");
  EXPECT_EQ(Counts(folder.File("out.otlp")), stack + " 7\n");
  EXPECT_EQ(Counts(folder.File("out.json")), stack + " 7\n");
}

TEST(ConvertTest, WritesPlainProgressToStandardError) {
  const RunResult run = Flarestack({"convert", "--progress", "plain", "-", "-", "--to", "folded"},
                                   {.input = "main 3\n"});
  EXPECT_EQ(run.out, "main 3\n");
  EXPECT_NE(run.error, "");
}

// A filtered pprof contains only standard pprof fields, without our comment.
TEST(ConvertFiltersTest, FilteredPprofHasNoFlarestackComment) {
  const TemporaryFolder folder;
  const std::string out = folder.File("only.pb.gz");
  const RunResult run = Flarestack({"convert", "--only", "regexp", Example("checkout.pb.gz"), out});
  ASSERT_EQ(run.exit_code, 0) << run.error;
  const auto bytes = base::Gunzip(ReadWhole(out), uint64_t{1} << 24);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(bytes->find("flarestack"), std::string::npos);
  EXPECT_NE(bytes->find("regexp."), std::string::npos);
  const std::string all = Flarestack({"top", "-n", "0", "--format", "csv", "--only", "regexp",
                                      Example("checkout.pb.gz")})
                              .out;
  EXPECT_EQ(Flarestack({"top", "-n", "0", "--format", "csv", out}).out, all);
}

}  // namespace
}  // namespace flarestack::testing
