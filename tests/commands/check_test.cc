// SPDX-License-Identifier: Apache-2.0
//
// `flarestack check` with the real program: exit codes, output formats, several files, pipes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "check/rule.h"
#include "check/testing/clean_batch.h"
#include "nlohmann/json.hpp"
#include "support/bombs.h"
#include "support/run_program.h"

namespace flarestack::testing {
namespace {

using check::testing::CleanBatch;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Clean() { return check::testing::Encode(CleanBatch()); }

std::string WithBadStack() {
  model::Batch batch = CleanBatch();
  check::testing::AddSample(&batch, {99}, {});
  return check::testing::Encode(batch);
}

std::string WithDuplicates(int count) {
  model::Batch batch = CleanBatch();
  for (int i = 0; i < count; ++i)
    check::testing::AddSample(&batch, {2}, {});
  return check::testing::Encode(batch);
}

TEST(CheckCommandTest, ReportsACleanFile) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("a.otlp", Clean());
  const RunResult run = Flarestack({"check", "--strict", path});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, path + ": clean (otlp, layout 1.10 or later)\n");
  EXPECT_EQ(run.error, "");
}

TEST(CheckCommandTest, ErrorExitsWith4AndReportsItsPath) {
  const RunResult run = Flarestack({"check", "-"}, {.input = WithBadStack()});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(run.out,
            "error stack-index-range (1): Each stack_index points into the stack_table.\n"
            "  resource_profiles[0].scope_profiles[0].profiles[0].samples[2].stack_index: 99, but "
            "stack_table has 3 entries; the largest index is 2, and 0 means \"not set\"\n"
            "standard input: 1 error (otlp, layout 1.10 or later)\n");
}

TEST(CheckCommandTest, WarningsCountOnlyWithStrict) {
  EXPECT_EQ(Flarestack({"check", "-"}, {.input = WithDuplicates(1)}).exit_code, 0);
  EXPECT_EQ(Flarestack({"check", "-", "--strict"}, {.input = WithDuplicates(1)}).exit_code, 4);
}

TEST(CheckCommandTest, CapsFindingsAndCountsTheRest) {
  const std::string input = WithDuplicates(12);
  const std::string ten = Flarestack({"check", "-"}, {.input = input}).out;
  EXPECT_THAT(ten, HasSubstr("  ... 2 more; -n 0 shows all\n"));
  EXPECT_THAT(ten, EndsWith("standard input: 12 warnings (otlp, layout 1.10 or later)\n"));
  EXPECT_THAT(Flarestack({"check", "-n", "1", "-"}, {.input = input}).out,
              HasSubstr("  ... 11 more"));
  const std::string all = Flarestack({"check", "-n", "0", "-"}, {.input = input}).out;
  EXPECT_THAT(all, HasSubstr("samples[13]"));
  EXPECT_EQ(all.find("more"), std::string::npos);
}

TEST(CheckCommandTest, JsonHasAStableShape) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("a.otlp", WithDuplicates(12));
  const std::string missing = folder.File("missing.otlp");
  const RunResult run = Flarestack({"check", "--format", "json", path, missing});
  EXPECT_EQ(run.exit_code, 1);
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["schema"], "flarestack.check/1");
  const auto& file = json["files"][0];
  EXPECT_EQ(file["path"], path);
  EXPECT_EQ(file["format"], "otlp");
  EXPECT_EQ(file["layout"], "1.10 or later");
  EXPECT_EQ(file["errors"], 0);
  EXPECT_EQ(file["warnings"], 12);
  EXPECT_EQ(file["infos"], 0);
  ASSERT_EQ(file["findings"].size(), 10U);
  EXPECT_EQ(file["truncated"]["total"], 12);
  const auto& finding = file["findings"][0];
  EXPECT_EQ(finding["rule"], "sample-duplicate");
  EXPECT_EQ(finding["severity"], "warning");
  EXPECT_EQ(finding["path"], "resource_profiles[0].scope_profiles[0].profiles[0].samples[2]");
  EXPECT_THAT(finding["message"].get<std::string>(), HasSubstr("samples[1]"));
  EXPECT_EQ(json["files"][1]["path"], missing);
  EXPECT_THAT(json["files"][1]["error"].get<std::string>(), HasSubstr("No such file"));
}

TEST(CheckCommandTest, OtherFormatsHaveARowPerFinding) {
  const std::string input = WithDuplicates(2);
  const auto run = [&](const char* format) {
    return Flarestack({"check", "--format", format, "-"}, {.input = input}).out;
  };
  EXPECT_THAT(run("csv"), StartsWith("file,rule,severity,path,message\r\n"
                                     "standard input,sample-duplicate,warning,resource_"));
  EXPECT_THAT(run("md"), HasSubstr("| warning | sample-duplicate | resource\\_profiles[0]"));
  const std::string lines = run("ndjson");
  EXPECT_EQ(nlohmann::json::parse(lines.substr(0, lines.find('\n')))["rule"], "sample-duplicate");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
}

TEST(CheckCommandTest, UnreadableFileDoesNotStopTheOthers) {
  const TemporaryFolder folder;
  const std::string bad = folder.Write("bad.otlp", "\x01\x02\x03");
  const std::string good = folder.Write("good.otlp", Clean());
  const RunResult run = Flarestack({"check", bad, good, folder.File("missing")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, good + ": clean (otlp, layout 1.10 or later)\n");
  EXPECT_THAT(run.error,
              HasSubstr("flarestack: cannot check " + bad + "\n  unknown profile format"));
  EXPECT_THAT(run.error, HasSubstr("  try: flarestack help check\n"));
  EXPECT_THAT(run.error, HasSubstr("missing\n"));
}

TEST(CheckCommandTest, NumbersMessagesInPaths) {
  const RunResult run =
      Flarestack({"check", "-"}, {.input = Frame(Clean()) + Frame(WithBadStack())});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.out, HasSubstr("\n  message[1].resource_profiles[0]."));
  EXPECT_THAT(
      run.out,
      EndsWith("standard input: 1 error (otlp-framed, layout 1.10 or later, 2 messages)\n"));
}

TEST(CheckCommandTest, PrintsOnlyTheLayout) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("a.otlp", WithBadStack());
  const RunResult run = Flarestack({"check", "--layout", path, Example("checkout.pb.gz")});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, path + ": 1.10 or later\n" + Example("checkout.pb.gz") + ": pprof\n");
}

TEST(CheckCommandTest, ChecksAResponse) {
  const RunResult run = Flarestack({"check", "--response", "-"},
                                   {.input = R"({"partialSuccess":{"rejectedProfiles":"0"}})"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.out, StartsWith("error response-empty (1): "));
  EXPECT_EQ(Flarestack({"check", "--response", "-"}, {.input = "{}"}).exit_code, 0);
}

TEST(CheckCommandTest, ListsAndExplainsRules) {
  const RunResult list = Flarestack({"check", "--list"});
  EXPECT_EQ(list.exit_code, 0);
  for (const check::RuleInfo& rule : check::Rules()) {
    EXPECT_THAT(list.out, HasSubstr(std::string(rule.id) + " "));
    EXPECT_THAT(list.out, HasSubstr(std::string(rule.summary)));
  }
  const RunResult one = Flarestack({"check", "--explain", "mapping-build-id"});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_THAT(one.out, StartsWith("mapping-build-id (error)\n"));
  const auto json = nlohmann::json::parse(Flarestack({"check", "--list", "--format", "json"}).out);
  EXPECT_EQ(json["rules"].size(), check::kRuleCount);
}

TEST(CheckCommandTest, BadCommandLineExitsWith2) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("a.otlp", Clean());
  EXPECT_EQ(Flarestack({"check"}).exit_code, 2);
  EXPECT_EQ(Flarestack({"check", "-", "-"}).exit_code, 2);
  EXPECT_EQ(Flarestack({"check", "--format", "xml", path}).exit_code, 2);
  EXPECT_EQ(Flarestack({"check", "-n", "-3", path}).exit_code, 2);
  EXPECT_EQ(Flarestack({"check", "--explain", "no-such-rule"}).exit_code, 2);
  EXPECT_EQ(Flarestack({"check", "--layout", "--response", path}).exit_code, 2);
}

TEST(CheckCommandTest, ReportsALimitThatCanBeRaised) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("a.otlp", Clean());
  const RunResult run = Flarestack({"check", "--max-bytes", "100", path});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.error, HasSubstr("try: raise --max-bytes if you trust the file"));
  EXPECT_EQ(Flarestack({"check", "--max-bytes", "1MB", path}).exit_code, 0);
}

TEST(CheckCommandTest, ConvertedFilesConformExceptForMissingInput) {
  const TemporaryFolder folder;
  const std::string folded = folder.File("folded.otlp");
  ASSERT_EQ(Flarestack({"convert", Example("checkout.folded"), folded}).exit_code, 0);
  EXPECT_EQ(Flarestack({"check", "--strict", folded}).out,
            folded + ": clean (otlp, layout 1.10 or later)\n");
  // The example's kernel mapping has no build id, in pprof as in OTLP.
  const std::string pprof = folder.File("pprof.otlp");
  ASSERT_EQ(Flarestack({"convert", Example("checkout.pb.gz"), pprof}).exit_code, 0);
  const RunResult run = Flarestack({"check", "--format", "csv", pprof});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, HasSubstr(",mapping-build-id,warning,dictionary.mapping_table[2],"));
}

}  // namespace
}  // namespace flarestack::testing
