// SPDX-License-Identifier: Apache-2.0
#include "codec/speedscope/speedscope_writer.h"

#include <gtest/gtest.h>

#include "codec/testing/read_write.h"
#include "codec/testing/test_batch.h"
#include "nlohmann/json.hpp"

namespace flarestack::codec::speedscope {
namespace {

using codec::testing::TestBatch;
using codec::testing::WarningText;
using codec::testing::WriteAll;

model::Batch TwoTypes() {
  TestBatch batch;
  batch.Profile("cpu", "nanoseconds");
  batch.Sample({{.name = "run", .file = "a.cc", .line = 7, .column = 3}, {.name = "main"}}, 30);
  batch.Sample({{.name = "main"}}, 5);
  batch.Sample({{.name = "run", .file = "a.cc", .line = 7, .column = 3}, {.name = "main"}}, 10);
  batch.Profile("alloc_space", "kilobytes");
  batch.Sample({}, 2);
  return std::move(batch).Finish();
}

TEST(SpeedscopeWriterTest, WritesASampledProfilePerSampleType) {
  EXPECT_EQ(*WriteAll(kSpeedscopeWriter, TwoTypes(), {.sample_type = {}, .title = "my \"app\""}),
            R"({"$schema":"https://www.speedscope.app/file-format-schema.json",
"exporter":"flarestack",
"name":"my \"app\"",
"activeProfileIndex":0,
"shared":{"frames":[
{"name":"main"},
{"name":"run","file":"a.cc","line":7,"col":3}
]},
"profiles":[
{"type":"sampled","name":"cpu/nanoseconds","unit":"nanoseconds","startValue":0,"endValue":45,
"samples":[[0,1],[0]],
"weights":[40,5]},
{"type":"sampled","name":"alloc_space/kilobytes","unit":"none","startValue":0,"endValue":2,
"samples":[[]],
"weights":[2]}
]}
)");
}

TEST(SpeedscopeWriterTest, WritesOneSampleTypeOnRequest) {
  const auto json = nlohmann::json::parse(
      *WriteAll(kSpeedscopeWriter, TwoTypes(), {.sample_type = "alloc_space", .title = {}}));
  ASSERT_EQ(json["profiles"].size(), 1U);
  EXPECT_EQ(json["profiles"][0]["name"], "alloc_space/kilobytes");
  EXPECT_TRUE(json["shared"]["frames"].empty());
}

TEST(SpeedscopeWriterTest, InlinedFunctionsAreFramesAndAnyNameIsValidJson) {
  TestBatch batch;
  batch.Profile("cpu", "nanoseconds");
  batch.SampleAt({batch.Location({{.name = "in\"\\\n\x01"}, {.name = "out\xff"}})}, 1);
  const auto json = nlohmann::json::parse(*WriteAll(kSpeedscopeWriter, std::move(batch).Finish()));
  EXPECT_EQ(json["shared"]["frames"][0]["name"], "out\xEF\xBF\xBD");
  EXPECT_EQ(json["shared"]["frames"][1]["name"], "in\"\\\n\x01");
  EXPECT_EQ(json["profiles"][0]["samples"], nlohmann::json::parse("[[0,1]]"));
}

TEST(SpeedscopeWriterTest, MergesStacksThatDifferOnlyInAddress) {
  TestBatch batch;
  batch.Profile("cpu", "nanoseconds");
  batch.Sample({{.name = "f", .address = 1}}, 1);
  batch.Sample({{.name = "f", .address = 2}}, 2);
  const auto json = nlohmann::json::parse(*WriteAll(kSpeedscopeWriter, std::move(batch).Finish()));
  EXPECT_EQ(json["profiles"][0]["weights"], nlohmann::json::parse("[3]"));
}

TEST(SpeedscopeWriterTest, SkipsNegativeWeightsWithAWarning) {
  TestBatch batch;
  batch.Profile("cpu", "nanoseconds");
  batch.Sample({{.name = "f"}}, -3);
  base::Warnings warnings;
  const auto json =
      nlohmann::json::parse(*WriteAll(kSpeedscopeWriter, std::move(batch).Finish(),
                                      {.sample_type = {}, .title = {}, .warnings = &warnings}));
  EXPECT_TRUE(json["profiles"][0]["samples"].empty());
  EXPECT_EQ(WarningText(warnings), "stack of negative weight omitted (1): -3\n");
}

}  // namespace
}  // namespace flarestack::codec::speedscope
