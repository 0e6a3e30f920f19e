// SPDX-License-Identifier: Apache-2.0
#include "query/diff/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "base/text/text.h"
#include "query/diff/noise_judge.h"
#include "query/diff/threshold.h"
#include "query/testing/stack_text.h"

namespace flarestack::query {
namespace {

using ::testing::ElementsAre;
using testing::FromText;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string DiffText(const StackSet& before, const StackSet& after, const DiffOptions& options) {
  const auto diff = Compare(before, after, options);
  if (!diff.ok())
    return std::string(diff.status().message());
  std::string text;
  for (const DiffRow& row : diff->rows) {
    text +=
        fmt::format("{} {} -> {} {:+.0f} {}{}\n", row.function, row.before, row.after, row.delta,
                    row.ratio.has_value() ? fmt::format("x{:.2f}", *row.ratio) : "new",
                    row.is_significant ? " *" : "");
  }
  return text;
}

constexpr std::string_view kBefore = "main;a 1000\nmain;b 500\n";
constexpr std::string_view kAfter = "main;a 1000\nmain;b 800\nmain;c 200\n";

TEST(DiffTest, ComparesMeasuredValues) {
  EXPECT_EQ(DiffText(FromText(kBefore), FromText(kAfter), {.norm = DiffNorm::kNone}),
            "main 1500 -> 2000 +500 x1.33 *\n"
            "b 500 -> 800 +300 x1.60 *\n"
            "c 0 -> 200 +200 new *\n"
            "a 1000 -> 1000 +0 x1.00\n");
}

TEST(DiffTest, ShareNormComparesPartsOfTheTotal) {
  EXPECT_EQ(DiffText(FromText(kBefore), FromText(kAfter), {.norm = DiffNorm::kShare}),
            "a 1000 -> 1000 -250 x0.75 *\n"
            "c 0 -> 200 +150 new *\n"
            "b 500 -> 800 +100 x1.20 *\n"
            "main 1500 -> 2000 +0 x1.00\n");
}

TEST(DiffTest, RateNormComparesPerSecond) {
  StackSet before = FromText("f 100\n");
  StackSet after = FromText("f 300\n");
  before.duration_nanos = 10;
  after.duration_nanos = 20;
  EXPECT_EQ(DiffText(before, after, {.norm = DiffNorm::kRate}), "f 100 -> 300 +50 x1.50 *\n");
}

TEST(DiffTest, RequestNormComparesPerRequest) {
  EXPECT_EQ(DiffText(FromText("f 100\n"), FromText("f 300\n"),
                     {.norm = DiffNorm::kRequest, .requests_before = 10, .requests_after = 40}),
            "f 100 -> 300 -25 x0.75 *\n");
}

TEST(DiffTest, ReportsMissingInput) {
  EXPECT_THAT(DiffText(FromText("f 1\n"), FromText("f 1\n"), {.norm = DiffNorm::kRate}),
              HasSubstr("the first profile has no duration"));
  EXPECT_THAT(DiffText(FromText("f 1\n"), FromText("f 1\n"),
                       {.norm = DiffNorm::kRequest, .requests_before = 1}),
              HasSubstr("the second profile has no request count"));
  StackSet bytes = FromText("f 1\n");
  bytes.unit = "bytes";
  EXPECT_THAT(DiffText(FromText("f 1\n"), bytes, {}),
              HasSubstr("the first profile is in count, the second in bytes"));
}

TEST(DiffTest, FewSamplesAreNeverSignificant) {
  EXPECT_EQ(DiffText(FromText("f 1\n"), FromText("f 19\n"), {.norm = DiffNorm::kNone}),
            "f 1 -> 19 +18 x19.00\n");
}

// Samples with a value of `weight` each, as in a profile with another sampling rate.
StackSet Weighing(std::string_view text, int64_t weight) {
  StackSet set = FromText(text);
  set.unit = "nanoseconds";
  for (StackRow& row : set.rows)
    row.value = row.events * weight;
  return set;
}

// The same program at 100 and at 20 samples per second: the values are equal.
TEST(DiffTest, SamplingRateIsNotADifference) {
  StackSet before = Weighing("main;a 1000\nmain;b 500\n", 10'000'000);
  StackSet after = Weighing("main;a 200\nmain;b 100\n", 50'000'000);
  before.duration_nanos = after.duration_nanos = 20'000'000'000;
  for (const DiffNorm norm :
       {DiffNorm::kShare, DiffNorm::kRate, DiffNorm::kRequest, DiffNorm::kNone}) {
    const auto diff =
        Compare(before, after, {.norm = norm, .requests_before = 7, .requests_after = 7});
    ASSERT_TRUE(diff.ok());
    EXPECT_FALSE(diff->total_verdict.is_significant);
    for (const DiffRow& row : diff->rows) {
      EXPECT_EQ(std::llround(row.delta), 0) << row.function;
      EXPECT_FALSE(row.is_significant) << row.function;
      EXPECT_DOUBLE_EQ(row.probability, 1) << row.function;
    }
  }
}

// Changes are found at any pair of rates, and noise is not reported.
TEST(DiffTest, FindsAChangeAcrossSamplingRates) {
  const StackSet before = Weighing("main;a 1000\nmain;b 500\n", 10'000'000);
  const StackSet after = Weighing("main;a 202\nmain;b 200\nmain;c 80\n", 50'000'000);
  EXPECT_EQ(DiffText(before, after, {.norm = DiffNorm::kNone}),
            "main 15000000000 -> 24100000000 +9100000000 x1.61 *\n"
            "b 5000000000 -> 10000000000 +5000000000 x2.00 *\n"
            "c 0 -> 4000000000 +4000000000 new *\n"
            "a 10000000000 -> 10100000000 +100000000 x1.01\n");
}

// The same number of waits, each twice as long.
TEST(DiffTest, FindsAHigherWeightAtTheSameFrequency) {
  EXPECT_EQ(
      DiffText(Weighing("f 400\n", 1000), Weighing("f 400\n", 2000), {.norm = DiffNorm::kNone}),
      "f 400000 -> 800000 +400000 x2.00 *\n");
}

TEST(DiffTest, TestsTheTotalToo) {
  EXPECT_TRUE(
      Compare(FromText("f 1000\n"), FromText("f 1300\n"), {})->total_verdict.is_significant);
  EXPECT_FALSE(
      Compare(FromText("f 1000\n"), FromText("f 1020\n"), {})->total_verdict.is_significant);
  StackSet before = FromText("f 1000\n");
  StackSet after = FromText("f 1300\n");
  before.duration_nanos = 1000;
  after.duration_nanos = 1300;
  EXPECT_FALSE(Compare(before, after, {})->total_verdict.is_significant);
}

TEST(DiffTest, ReportsUnbalancedSides) {
  EXPECT_TRUE(Compare(FromText("f 100\n"), FromText("f 500\n"), {})->is_unbalanced);
  EXPECT_FALSE(Compare(FromText("f 100\n"), FromText("f 399\n"), {})->is_unbalanced);
}

std::string ExplainText(std::string_view before_text, std::string_view after_text) {
  const StackSet before = FromText(before_text);
  const StackSet after = FromText(after_text);
  const auto diff = Compare(before, after, {.norm = DiffNorm::kNone});
  const auto explanations = ExplainChange(before, after, *diff);
  std::string text;
  for (const Explanation& explanation : *explanations) {
    for (const std::string& name : explanation.path)
      base::StrAppend(&text, name, ";");
    text += fmt::format(" {:+.0f} {:.0f} %\n", explanation.delta, explanation.part * 100);
  }
  return text;
}

TEST(ExplainTest, FollowsTheChangeToItsDepth) {
  EXPECT_EQ(ExplainText("main;serve;parse 10\nmain;idle 5\n",
                        "main;serve;parse 10\nmain;serve;parse;regex 90\nmain;idle 5\n"),
            "main;serve;parse;regex; +90 100 %\n");
}

TEST(ExplainTest, StopsWhereTheChangeSpreads) {
  EXPECT_EQ(ExplainText("main;f;a 10\n", "main;f;a 20\nmain;f;b 10\nmain;f;c 10\nmain;f;d 10\n"),
            "main;f; +40 100 %\n");
}

TEST(ExplainTest, GrowthAndShrinkageDoNotCancelOut) {
  EXPECT_EQ(ExplainText("main;c;d 300\nmain;b 500\n", "main;c;d 100\nmain;c;e 310\nmain;b 800\n"),
            "main;c;e; +310 51 %\n"
            "main;b; +300 49 %\n");
}

TEST(ExplainTest, ExplainsADecreaseToo) {
  EXPECT_EQ(ExplainText("main;a 100\nmain;b 50\n", "main;a 20\nmain;b 49\n"), "main;a; -80 99 %\n");
}

TEST(ExplainTest, ExplainsNothingIfNothingChanged) {
  EXPECT_EQ(ExplainText("main;a 100\n", "main;a 100\n"), "");
}

TEST(NoiseTest, MatchesKnownSplitProbabilities) {
  EXPECT_DOUBLE_EQ(SplitProbability(5, 5, 1, 1), 1);
  EXPECT_NEAR(SplitProbability(0, 5, 1, 1), 2 * 0.03125, 1e-12);
  EXPECT_NEAR(SplitProbability(1, 9, 1, 1), 2 * 11.0 / 1024, 1e-12);
  EXPECT_NEAR(SplitProbability(9, 1, 1, 1), 2 * 11.0 / 1024, 1e-12);
  EXPECT_DOUBLE_EQ(SplitProbability(0, 0, 1, 1), 1);
  EXPECT_DOUBLE_EQ(SplitProbability(3, 4, 0, 1), 1);
}

TEST(NoiseTest, LargeSharesVaryLess) {
  EXPECT_LT(ShareProbability(9000, 10'000, 9100, 10'000), 0.02);
  EXPECT_GT(SplitProbability(9000, 9100, 1, 1), 0.4);
  EXPECT_DOUBLE_EQ(ShareProbability(100, 100, 70, 70), 1);
  EXPECT_DOUBLE_EQ(ShareProbability(0, 0, 1, 1), 1);
}

TEST(NoiseTest, LimitsFindingsToTheFalseDiscoveryRate) {
  EXPECT_THAT(Findings(std::vector<double>{0.001, 0.04, 0.5, 0.012}, 0.05),
              ElementsAre(true, false, false, true));
  EXPECT_THAT(Findings(std::vector<double>{}, 0.05), IsEmpty());
}

// Draws `count` samples over functions of very different weight. The first has a third of all.
StackSet Draw(int count, double shift, std::mt19937* random) {
  constexpr int kFunctions = 40;
  std::vector<double> weights;
  for (int i = 0; i < kFunctions; ++i)
    weights.push_back(std::pow(i + 1, -1.3));
  weights[0] *= 1 + shift;
  double weight_left = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<int> counts;
  for (const double weight : weights) {
    const double part = std::min(1.0, weight / weight_left);
    counts.push_back(std::binomial_distribution<int>(count, part)(*random));
    count -= counts.back();
    weight_left -= weight;
  }
  std::string text;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0)
      base::StrAppend(&text, "main;f", i, " ", counts[i], "\n");
  }
  return FromText(text);
}

TEST(NoiseTest, TwoDrawsOfOneDistributionHaveFewFindings) {
  std::mt19937 random(1);
  int trials_with_findings = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const StackSet a = Draw(5000, 0, &random);
    const StackSet b = Draw(8000, 0, &random);
    const auto diff = Compare(a, b, {});
    if (std::ranges::any_of(diff->rows, &DiffRow::is_significant))
      ++trials_with_findings;
  }
  EXPECT_LE(trials_with_findings, 14);  // about 5 %, with a margin for chance
}

TEST(NoiseTest, FindsAFivePercentShiftInAHundredThousandSamples) {
  std::mt19937 random(2);
  int found = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const StackSet a = Draw(100'000, 0, &random);
    const StackSet b = Draw(100'000, 0.05, &random);
    const auto diff = Compare(a, b, {});
    const auto row = std::ranges::find(diff->rows, "f0", &DiffRow::function);
    found += row->is_significant ? 1 : 0;
  }
  EXPECT_GE(found, 190);  // 95 %
}

std::vector<std::string> Exceeded(std::string_view limit, const DiffOptions& options = {}) {
  const auto diff = Compare(FromText(kBefore), FromText(kAfter), options);
  const auto threshold = Threshold::Parse(limit);
  if (!threshold.ok())
    return {std::string(threshold.status().message())};
  return threshold->Exceeded(*diff);
}

TEST(ThresholdTest, ChecksTotalAndFunctions) {
  const DiffOptions none = {.norm = DiffNorm::kNone};
  EXPECT_THAT(Exceeded("total>+5%", none), ElementsAre("total +33.3 % exceeds +5 %"));
  EXPECT_THAT(Exceeded("total>34%", none), IsEmpty());
  EXPECT_THAT(Exceeded("fn:^[bc]$>+10%", none),
              ElementsAre("b +60.0 % exceeds +10 %", "c is new; the limit is +10 %"));
  EXPECT_THAT(Exceeded("fn:^a$<-20%", {}), ElementsAre("a -25.0 % exceeds -20 %"));
}

TEST(ThresholdTest, TotalUsesMeasuredValuesForShares) {
  EXPECT_THAT(Exceeded("total>+5%"), ElementsAre("total +33.3 % exceeds +5 %"));
}

TEST(ThresholdTest, RejectsOtherText) {
  for (const std::string_view text :
       {"", "total", "total>5", "total>x%", "sum>5%", "fn:>5%", "total>+-5%", "total>nan%"}) {
    EXPECT_THAT(Exceeded(text), ElementsAre(HasSubstr("is not a limit"))) << text;
  }
  EXPECT_THAT(Exceeded("fn:(>5%"), ElementsAre(HasSubstr("is not a regular expression")));
}

}  // namespace
}  // namespace flarestack::query
