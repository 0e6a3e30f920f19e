// SPDX-License-Identifier: Apache-2.0
//
// Tests each rule separately: a clean message broken in one way gives exactly one finding, for this
// rule and at the right place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/file/file.h"
#include "base/text/text.h"
#include "check/check.h"
#include "check/checks.h"
#include "check/testing/broken_batches.h"
#include "check/testing/clean_batch.h"

namespace flarestack::check {
namespace {

using model::Batch;
using namespace testing;

constexpr std::string_view kProfile = "resource_profiles[0].scope_profiles[0].profiles[0]";
constexpr CheckOptions kOptions = {.now_unix_nano = kCleanTime + 1'000'000'000};

// One line "severity rule path: message" per finding.
std::string Text(const Report& report) {
  std::string text;
  for (const RuleFindings& rule : report.rules) {
    for (const Finding& finding : rule.kept) {
      base::StrAppend(&text, SeverityName(finding.severity), " ", Info(rule.rule).id, " ",
                      finding.path, ": ", finding.message, "\n");
    }
  }
  return text;
}

TEST(RulesTest, CleanMessageBreaksNoRule) {
  EXPECT_EQ(Text(Check(CleanBatch(), kOptions)), "");
  const auto file = CheckBytes(Encode(CleanBatch()), kOptions);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(Text(file->report), "");
  EXPECT_EQ(file->format, "otlp");
  EXPECT_EQ(file->layout, "1.10 or later");
  EXPECT_EQ(file->message_count, 1U);
}

TEST(RulesTest, FindsEachViolationOnceAndNothingElse) {
  for (const BrokenBatch& broken : BrokenBatches()) {
    SCOPED_TRACE(base::StrCat(Info(broken.rule).id, " at ", broken.path));
    Batch batch = CleanBatch();
    broken.breaks(&batch);
    const Report report = Check(batch, kOptions);
    EXPECT_EQ(report.count(), 1U) << Text(report);
    if (report.count() != 1)
      continue;
    const RuleFindings& found = report.rules.front();
    EXPECT_EQ(Info(found.rule).id, Info(broken.rule).id) << Text(report);
    std::string path = broken.path;
    if (path.starts_with("~"))
      path.replace(0, 1, kProfile);
    EXPECT_EQ(found.kept.front().path, path);
    EXPECT_EQ(found.severity, Info(broken.rule).severity);
    EXPECT_NE(found.kept.front().message, "");
  }
}

TEST(RulesTest, EveryBatchRuleHasACase) {
  // These need bytes and are tested in wire_test.cc and check_test.cc.
  std::set<Rule> seen = {Rule::kOldLayout,     Rule::kUnknownField,     Rule::kWireType,
                         Rule::kReservedField, Rule::kRepeatedSingular, Rule::kNonMinimalVarint,
                         Rule::kInvalidUtf8,   Rule::kJsonForm,         Rule::kResponseEmpty,
                         Rule::kResponseCount, Rule::kResponseReason};
  for (const BrokenBatch& broken : BrokenBatches())
    seen.insert(broken.rule);
  for (const RuleInfo& rule : Rules())
    EXPECT_TRUE(seen.contains(rule.rule)) << rule.id;
}

TEST(RulesTest, RowsAreComplete) {
  std::set<std::string_view> ids;
  for (const RuleInfo& rule : Rules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_THAT(std::string(rule.id), ::testing::MatchesRegex("[a-z][a-z0-9-]*"));
    EXPECT_TRUE(rule.summary.ends_with(".")) << rule.id;
    EXPECT_TRUE(rule.explanation.ends_with(".")) << rule.id;
    EXPECT_FALSE(rule.reference.empty()) << rule.id;
    EXPECT_EQ(FindRule(rule.id), &rule);
  }
  EXPECT_EQ(FindRule("no-such-rule"), nullptr);
}

TEST(RulesTest, ReferencePageMatchesTheTable) {
  const auto page =
      base::ReadFile(base::StrCat(FLARESTACK_TESTDATA, "/../docs/reference/check.md"), 1 << 20);
  ASSERT_TRUE(page.ok()) << page.status();
  std::string expected;
  for (const RuleInfo& rule : Rules()) {
    base::StrAppend(&expected, "\n### ", rule.id, " (", SeverityName(rule.severity), ")\n\n",
                    rule.summary, " ", rule.explanation, "\n\nReference: ", rule.reference, ".\n");
  }
  const size_t start = page->find("\n### ");
  ASSERT_NE(start, std::string::npos);
  EXPECT_EQ(page->substr(start), expected);
}

}  // namespace
}  // namespace flarestack::check
