// SPDX-License-Identifier: Apache-2.0
#include "query/diff/instance_draws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "base/sanitized.h"
#include "base/text/text.h"
#include "query/diff/diff.h"
#include "query/diff/incomplete_beta.h"
#include "query/testing/stack_text.h"

namespace flarestack::query {
namespace {

using testing::FromInstances;
using Texts = std::vector<std::string>;

TEST(StudentTest, MatchesKnownProbabilities) {
  EXPECT_DOUBLE_EQ(StudentProbability(0, 3), 1);
  EXPECT_NEAR(StudentProbability(1, 1), 0.5, 1e-12);  // Cauchy's distribution
  EXPECT_NEAR(StudentProbability(2.2281, 10), 0.05, 1e-5);
  EXPECT_NEAR(StudentProbability(-2.2281, 10), 0.05, 1e-5);
  EXPECT_NEAR(StudentProbability(1.959964, 1e7), 0.05, 1e-5);
}

TEST(BootstrapTest, SpreadOfAMeanIsItsStandardError) {
  const std::vector<double> exposures(10, 1);
  std::vector<InstanceValue> values;
  for (uint32_t i = 0; i < 10; ++i)
    values.push_back({.instance = i, .value = static_cast<double>(i)});
  const InstanceDraws draws(exposures);
  const Estimate estimate = draws.Of(values);
  EXPECT_DOUBLE_EQ(estimate.value, 4.5);
  // The variance of 0 to 9 is 55/6, that of their mean a tenth of it; 2000 draws match it within 10
  // %.
  EXPECT_NEAR(estimate.variance, 55.0 / 60, 0.1);
  EXPECT_DOUBLE_EQ(draws.Of(values).variance, InstanceDraws(exposures).Of(values).variance);
}

TEST(BootstrapTest, OneLargeInstanceLowersTheEffectiveCount) {
  const std::vector<double> equal(8, 3);
  const std::vector<double> unequal = {100, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_NEAR(InstanceDraws(equal).Of({}).count, 8, 1e-9);
  EXPECT_LT(InstanceDraws(unequal).Of({}).count, 1.2);
}

TEST(BootstrapTest, SkipsInstancesWithoutExposure) {
  const std::vector<double> exposures = {0, 2, 0, 2, 2};
  const InstanceDraws draws(exposures);
  EXPECT_EQ(draws.group_count(), 3U);
  const std::vector<InstanceValue> same = {{1, 6}, {3, 6}, {4, 6}};
  EXPECT_DOUBLE_EQ(draws.Of(same).value, 3);
  EXPECT_DOUBLE_EQ(draws.Of(same).variance, 0);
}

TEST(BootstrapTest, VeryManyInstancesBecomeGroups) {
  const std::vector<double> exposures(3 * InstanceDraws::kGroupsMax + 1, 1);
  const InstanceDraws draws(exposures);
  EXPECT_EQ(draws.group_count(), InstanceDraws::kGroupsMax);
  std::vector<InstanceValue> values;
  for (uint32_t i = 0; i < exposures.size(); ++i)
    values.push_back({.instance = i, .value = i % 2 == 0 ? 1.0 : 3.0});
  EXPECT_NEAR(draws.Of(values).value, 2, 0.001);
  EXPECT_GT(draws.Of(values).variance, 0);
}

TEST(BootstrapTest, RoundingErrorIsNotADifference) {
  const Estimate third = {.value = 1.0 / 3, .variance = 1e-34, .count = 5};
  Estimate other = third;
  other.value += 1e-16;
  EXPECT_EQ(DifferenceProbability(third, other), 1);
  other.value = 0.4;
  EXPECT_EQ(DifferenceProbability(third, other), std::nullopt);
}

Diff CompareTexts(const Texts& before, const Texts& after, const DiffOptions& options) {
  return *Compare(FromInstances(before), FromInstances(after), options);
}

const DiffRow& RowOf(const Diff& diff, std::string_view function) {
  return *std::ranges::find(diff.rows, function, &DiffRow::function);
}

TEST(NoiseJudgeTest, ResamplesFiveInstancesOnEachSide) {
  const Texts four(4, "main;a 100\n");
  const Texts five(5, "main;a 100\n");
  EXPECT_EQ(CompareTexts(five, five, {}).noise_test, NoiseTest::kBootstrap);
  EXPECT_EQ(CompareTexts(four, five, {}).noise_test, NoiseTest::kOptimistic);
  EXPECT_EQ(CompareTexts(five, four, {}).noise_test, NoiseTest::kOptimistic);
  EXPECT_EQ(CompareTexts(five, four, {}).after.instance_count, 4U);
}

TEST(NoiseJudgeTest, OneOutlierInstanceIsNotAFinding) {
  const Texts before(6, "main;a 500\nmain;b 500\n");
  Texts after = before;
  after[3] = "main;a 500\nmain;b 3500\n";
  const Diff diff = CompareTexts(before, after, {});
  EXPECT_EQ(diff.noise_test, NoiseTest::kBootstrap);
  EXPECT_FALSE(RowOf(diff, "b").is_significant);
  // Treated as a single process, the same samples look like a finding.
  const auto alone = [](const Texts& texts) {
    return FromInstances(Texts{std::accumulate(texts.begin(), texts.end(), std::string())});
  };
  EXPECT_TRUE(RowOf(*Compare(alone(before), alone(after), {}), "b").is_significant);
}

TEST(NoiseJudgeTest, ChangeSharedByAllInstancesIsAFindingForEachNorm) {
  Texts before;
  Texts after;
  for (const int wobble : {-20, -10, 0, 5, 10, 15}) {
    before.push_back(base::StrCat("main;a ", 1000 + wobble, "\nmain;b ", 300 - wobble, "\n"));
    after.push_back(base::StrCat("main;a ", 1000 - wobble, "\nmain;b ", 600 + wobble, "\n"));
  }
  StackSet sets[2] = {FromInstances(before), FromInstances(after)};
  for (StackSet& set : sets) {
    for (Instance& instance : set.instances)
      set.duration_nanos += instance.duration_nanos = 1000;
  }
  for (const DiffNorm norm :
       {DiffNorm::kShare, DiffNorm::kRate, DiffNorm::kRequest, DiffNorm::kNone}) {
    const Diff diff =
        *Compare(sets[0], sets[1], {.norm = norm, .requests_before = 600, .requests_after = 600});
    EXPECT_EQ(diff.noise_test, NoiseTest::kBootstrap);
    EXPECT_TRUE(RowOf(diff, "b").is_significant) << static_cast<int>(norm);
    EXPECT_EQ(RowOf(diff, "a").is_significant, norm == DiffNorm::kShare) << static_cast<int>(norm);
  }
}

TEST(NoiseJudgeTest, DoesNotResampleRatesWithoutDuration) {
  StackSet before = FromInstances(Texts(6, "f 100\n"));
  StackSet after = FromInstances(Texts(6, "f 100\n"));
  for (StackSet* set : {&before, &after}) {
    for (Instance& instance : set->instances)
      set->duration_nanos += instance.duration_nanos = 10;
  }
  EXPECT_EQ(Compare(before, after, {.norm = DiffNorm::kRate})->noise_test, NoiseTest::kBootstrap);
  after.instances[2].duration_nanos = 0;
  EXPECT_EQ(Compare(before, after, {.norm = DiffNorm::kRate})->noise_test, NoiseTest::kOptimistic);
}

TEST(NoiseJudgeTest, UsesSampleNoiseIfInstancesAgreeExactly) {
  EXPECT_TRUE(RowOf(CompareTexts(Texts(5, "main;a 900\nmain;b 100\n"),
                                 Texts(5, "main;a 700\nmain;b 300\n"), {}),
                    "b")
                  .is_significant);
  EXPECT_FALSE(RowOf(CompareTexts(Texts(5, "main;a 900\nmain;b 100\n"),
                                  Texts(5, "main;a 899\nmain;b 101\n"), {}),
                     "b")
                   .is_significant);
}

TEST(NoiseJudgeTest, RecursionIsCountedOncePerStack) {
  const StackSet set =
      FromInstances(Texts{"main;walk;walk 5\nmain;walk 2\n", "main;walk;leaf 4\n"});
  const ItemSums sums = SumFunctions(set);
  const uint32_t walk = set.table.At(set.stack_frames[1]).function.value;
  ASSERT_EQ(sums.values[walk].size(), 2U);
  EXPECT_EQ(sums.values[walk][0].value, 7);
  EXPECT_EQ(sums.values[walk][1].value, 4);
  EXPECT_EQ(sums.events[walk], 11);
}

// Instances that differ far more from each other than their samples do: each has its own mix of 40
// functions and its own size.
struct Fleet {
  int count = 8;
  double spread = 0.4;       // of the logarithm of each weight
  double size_spread = 0.5;  // of the logarithm of the number of samples
  double shift = 0;          // of the first function
};

StackSet DrawFleet(const Fleet& fleet, std::mt19937* random) {
  constexpr int kFunctions = 40;
  constexpr double kSamples = 4000;
  std::normal_distribution<double> normal;
  Texts texts;
  for (int instance = 0; instance < fleet.count; ++instance) {
    std::vector<double> weights;
    for (int i = 0; i < kFunctions; ++i)
      weights.push_back(std::pow(i + 1, -1.3) * std::exp(fleet.spread * normal(*random)));
    weights[0] *= 1 + fleet.shift;
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double samples = kSamples * std::exp(fleet.size_spread * normal(*random));
    std::string text;
    for (int i = 0; i < kFunctions; ++i) {
      std::poisson_distribution<int> poisson(samples * weights[static_cast<size_t>(i)] / all);
      if (const int count = poisson(*random); count > 0)
        base::StrAppend(&text, "main;f", i, " ", count, "\n");
    }
    texts.push_back(std::move(text));
  }
  return FromInstances(texts);
}

// Treats all samples as if they came from one process.
void ForgetInstances(StackSet* set) {
  set->instances.clear();
  for (StackRow& row : set->rows)
    row.first_part = InstancePart::kNone;
}

// The trials measure probabilities. For a sanitizer a few are enough.
constexpr int kTrials = base::kIsSanitized ? 20 : 200;

struct Outcome {
  int bootstrap = 0;   // trials with findings
  int optimistic = 0;  // the same fleets, each treated as one process
};

Outcome CompareFleets(const Fleet& a, const Fleet& b, const DiffOptions& options) {
  std::mt19937 random(7);
  Outcome outcome;
  const auto has_finding = [](const Diff& diff) {
    return std::ranges::any_of(diff.rows, &DiffRow::is_significant);
  };
  for (int trial = 0; trial < kTrials; ++trial) {
    StackSet before = DrawFleet(a, &random);
    StackSet after = DrawFleet(b, &random);
    outcome.bootstrap += has_finding(*Compare(before, after, options)) ? 1 : 0;
    ForgetInstances(&before);
    ForgetInstances(&after);
    outcome.optimistic += has_finding(*Compare(before, after, options)) ? 1 : 0;
  }
  return outcome;
}

// About 5 %, with a margin for chance, which is wider for few trials.
constexpr int kFalseTrialsMax = base::kIsSanitized ? 4 : 14;

TEST(NoiseJudgeTest, TwoEqualFleetsHaveFewFindings) {
  const Outcome shares = CompareFleets({.count = 8}, {.count = 9}, {});
  EXPECT_LE(shares.bootstrap, kFalseTrialsMax);
  EXPECT_GE(shares.optimistic, kTrials * 95 / 100);  // nearly always wrong
  const Outcome measured = CompareFleets({.count = 8}, {.count = 8}, {.norm = DiffNorm::kNone});
  EXPECT_LE(measured.bootstrap, kFalseTrialsMax);
  EXPECT_GE(measured.optimistic, kTrials * 95 / 100);
}

TEST(NoiseJudgeTest, FewInstancesAgainstManyHaveFewFindings) {
  EXPECT_LE(CompareFleets({.count = 5}, {.count = 60}, {}).bootstrap, kFalseTrialsMax);
  EXPECT_LE(
      CompareFleets({.count = 20, .size_spread = 1}, {.count = 5, .size_spread = 1}, {}).bootstrap,
      kFalseTrialsMax);
}

TEST(NoiseJudgeTest, FindsAShiftOfAllInstancesWithEnoughOfThem) {
  std::mt19937 random(3);
  int found_by_many = 0;
  int found_by_few = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const auto is_found = [&](int count) {
      const StackSet before = DrawFleet({.count = count, .spread = 0.2}, &random);
      const StackSet after = DrawFleet({.count = count, .spread = 0.2, .shift = 0.5}, &random);
      return RowOf(*Compare(before, after, {}), "f0").is_significant;
    };
    found_by_many += is_found(25) ? 1 : 0;
    found_by_few += is_found(5) ? 1 : 0;
  }
  EXPECT_GE(found_by_many, 48);
  EXPECT_LT(found_by_few, found_by_many);
}

TEST(NoiseJudgeTest, SameInputGivesTheSameProbabilities) {
  std::mt19937 random(5);
  const StackSet before = DrawFleet({}, &random);
  const StackSet after = DrawFleet({}, &random);
  const auto probabilities = [&] {
    const Diff diff = *Compare(before, after, {});
    std::vector<double> all;
    for (const DiffRow& row : diff.rows)
      all.push_back(row.probability);
    return all;
  };
  EXPECT_EQ(probabilities(), probabilities());
}

}  // namespace
}  // namespace flarestack::query
