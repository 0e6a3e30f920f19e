// SPDX-License-Identifier: Apache-2.0
#include "model/validation/profile_sift.h"

#include <gtest/gtest.h>

#include "model/builder/batch_builder.h"
#include "model/dump/dump.h"
#include "model/validation/validate.h"

namespace flarestack::model {
namespace {

constexpr uint64_t kNow = 1'800'000'000'000'000'000;

// One profile with three samples, each with a different stack.
Batch ThreeSamples() {
  BatchBuilder builder;
  DictionaryBuilder& tables = builder.dictionary();
  const ScopeId scope = builder.AddScope(builder.AddResource({.present = true}), {});
  builder.AddProfile(
      scope, {.sample_type = {.type = tables.String("cpu"), .unit = tables.String("nanoseconds")},
              .time_unix_nano = kNow});
  for (const char* name : {"a", "b", "c"}) {
    const Line line = {.function = tables.Function({.name = tables.String(name)})};
    const LocationIndex location = tables.Location({}, {{line}}, {});
    builder.AddSample(
        {.stack = tables.Stack({{location}}),
         .attributes = tables.AttributeList({{tables.Attribute("thread.id", AnyValue::Int(7))}}),
         .timestamps = builder.Timestamps({{kNow, kNow + 1}})});
  }
  return *std::move(builder).Finish();
}

TEST(SiftProfiles, LeavesAGoodBatchAlone) {
  Batch batch = ThreeSamples();
  const std::string before = Dump(batch);
  const SiftedProfiles sifted = SiftProfiles(&batch);
  EXPECT_EQ(sifted.samples_rejected(), 0u);
  EXPECT_EQ(sifted.Explain(), "");
  EXPECT_EQ(Dump(batch), before);
}

TEST(SiftProfiles, RejectsOneSample) {
  Batch batch = ThreeSamples();
  batch.samples[1].stack = {99};
  const SiftedProfiles sifted = SiftProfiles(&batch);
  EXPECT_EQ(sifted.Explain(),
            "1 of 3 samples rejected: index_out_of_range (it refers to an index outside its table) "
            "1, first at resource_profiles[0].scope_profiles[0].profiles[0].samples[1]");
  EXPECT_EQ(sifted.profiles_rejected, 0u);
  EXPECT_EQ(batch.samples.size(), 2u);
  EXPECT_TRUE(ValidateIndices(batch).ok());
}

TEST(SiftProfiles, RejectsSamplesThatReachABadIndex) {
  Batch batch = ThreeSamples();
  batch.dictionary.functions[2].name = {77};
  EXPECT_EQ(SiftProfiles(&batch).samples_rejected(), 1u);
  EXPECT_EQ(batch.samples.size(), 2u);
  EXPECT_TRUE(ValidateIndices(batch).ok());
}

TEST(SiftProfiles, RejectsInvalidShapes) {
  Batch batch = ThreeSamples();
  batch.samples[0].timestamps = {};
  batch.values = {1, 2, 3};
  batch.samples[2].values = {.begin = 0, .count = 3};
  const SiftedProfiles sifted = SiftProfiles(&batch);
  ASSERT_EQ(sifted.rejected.size(), 2u);
  EXPECT_EQ(sifted.rejected[0].fault, SampleFault::kNoValue);
  EXPECT_EQ(sifted.rejected[1].fault, SampleFault::kShape);
  EXPECT_EQ(batch.samples.size(), 1u);
}

TEST(SiftProfiles, RejectsAProfileThatLosesAllSamples) {
  Batch batch = ThreeSamples();
  batch.profiles[0].sample_type.unit = {1234};
  const SiftedProfiles sifted = SiftProfiles(&batch);
  EXPECT_EQ(sifted.profiles_rejected, 1u);
  EXPECT_EQ(sifted.samples_rejected(), 3u);
  EXPECT_TRUE(batch.profiles.empty());
  EXPECT_TRUE(batch.scopes[0].profiles.empty());
  EXPECT_TRUE(ValidateIndices(batch).ok());
}

TEST(RestampAbsurdTimes, LeavesSaneTimesAlone) {
  Batch batch = ThreeSamples();
  const std::string before = Dump(batch);
  EXPECT_EQ(RestampAbsurdTimes(&batch, kNow), 0u);
  EXPECT_EQ(Dump(batch), before);
}

TEST(RestampAbsurdTimes, MovesAProfileFrom1970AndKeepsTimeDifferences) {
  Batch batch = ThreeSamples();
  batch.profiles[0].time_unix_nano = 1000;
  batch.timestamps = {1001, 1002, 1003, 1004, 1005, 1006};
  EXPECT_EQ(RestampAbsurdTimes(&batch, kNow), 7u);
  EXPECT_EQ(batch.profiles[0].time_unix_nano, kNow);
  EXPECT_EQ(batch.timestamps[5], kNow + 6);
  EXPECT_TRUE(ValidateIndices(batch).ok());
  EXPECT_NE(Dump(batch).find("\"flarestack.original_time_unix_nano\" = int 1000"),
            std::string::npos);
  EXPECT_EQ(batch.samples[0].attributes.count, 2u);
}

TEST(RestampAbsurdTimes, MovesAFutureSampleIntoItsProfile) {
  Batch batch = ThreeSamples();
  batch.timestamps[3] = UINT64_MAX;
  EXPECT_EQ(RestampAbsurdTimes(&batch, kNow), 1u);
  EXPECT_EQ(batch.timestamps[3], kNow);
}

TEST(RestampAbsurdTimes, FillsInAnUnknownTime) {
  Batch batch = ThreeSamples();
  batch.profiles[0].time_unix_nano = 0;
  EXPECT_EQ(RestampAbsurdTimes(&batch, kNow + 50), 0u);
  EXPECT_EQ(batch.profiles[0].time_unix_nano, kNow);
}

}  // namespace
}  // namespace flarestack::model
