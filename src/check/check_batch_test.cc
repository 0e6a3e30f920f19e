// SPDX-License-Identifier: Apache-2.0
//
// Parallel and sequential checks find the same.
#include "check/checks.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/text/text.h"
#include "check/testing/broken_batches.h"
#include "check/testing/clean_batch.h"

namespace flarestack::check {
namespace {

using namespace testing;

constexpr CheckOptions kOptions = {.now_unix_nano = kCleanTime + 1'000'000'000};

std::string Lines(const Report& report) {
  std::string text;
  for (const RuleFindings& rule : report.rules) {
    base::StrAppend(&text, Info(rule.rule).id, " ", rule.count, "\n");
    for (const Finding& finding : rule.kept)
      base::StrAppend(&text, "  ", finding.path, ": ", finding.message, "\n");
  }
  return text;
}

// Breaks a batch in every way, and checks it on one thread and on many.
TEST(CheckBatchTest, ManyThreadsFindTheSameAsOne) {
  const auto found = [](const model::Batch& batch, Work work) {
    Collector findings(kOptions.findings_per_rule);
    CheckBatch(batch, kOptions, Path(), &findings, Origin::kOtlp, work);
    return std::move(findings).Finish();
  };
  for (const BrokenBatch& broken : BrokenBatches()) {
    model::Batch batch = CleanBatch();
    broken.breaks(&batch);
    const Report in_turn = found(batch, Work::kInTurn);
    const Report parallel = found(batch, Work::kParallel);
    EXPECT_EQ(Lines(in_turn), Lines(parallel));
    EXPECT_EQ(in_turn.count(), parallel.count());
    EXPECT_GT(in_turn.count(), 0u);
  }
}

TEST(CollectorTest, AppendingEqualsAddingLater) {
  for (const uint64_t kept : {0, 1, 3}) {
    Collector whole(kept);
    Collector first(kept);
    Collector second(kept);
    const auto add = [](Collector* to, Rule rule, Severity severity, const char* text) {
      to->Add(rule, severity, Path(), [&] { return std::string(text); });
    };
    for (Collector* to : {&whole, &first}) {
      add(to, Rule::kFrameType, Severity::kInfo, "one");
      add(to, Rule::kFrameType, Severity::kInfo, "two");
    }
    for (Collector* to : {&whole, &second}) {
      add(to, Rule::kFrameType, Severity::kWarning, "three");
      add(to, Rule::kFrameType, Severity::kInfo, "four");
      add(to, Rule::kOldLayout, Severity::kError, "five");
    }
    first.Append(std::move(second));
    const Report expected = std::move(whole).Finish();
    const Report joined = std::move(first).Finish();
    EXPECT_EQ(joined.error_count, expected.error_count);
    EXPECT_EQ(joined.warning_count, expected.warning_count);
    EXPECT_EQ(joined.info_count, expected.info_count);
    ASSERT_EQ(joined.rules.size(), expected.rules.size());
    for (size_t i = 0; i < joined.rules.size(); ++i) {
      EXPECT_EQ(joined.rules[i].rule, expected.rules[i].rule);
      EXPECT_EQ(joined.rules[i].severity, expected.rules[i].severity);
      EXPECT_EQ(joined.rules[i].count, expected.rules[i].count);
      ASSERT_EQ(joined.rules[i].kept.size(), expected.rules[i].kept.size());
      for (size_t k = 0; k < joined.rules[i].kept.size(); ++k)
        EXPECT_EQ(joined.rules[i].kept[k].message, expected.rules[i].kept[k].message);
    }
  }
}

}  // namespace
}  // namespace flarestack::check
