// SPDX-License-Identifier: Apache-2.0
#include "cli/record/runtime_survey.h"

#include <gtest/gtest.h>

#include "codec/format/format.h"
#include "codec/registry.h"
#include "codec/testing/read_write.h"

namespace flarestack::cli {
namespace {

// Two processes of one runtime, and one without.
constexpr std::string_view kProfiles = R"({
"dictionary": {
  "stringTable": ["", "samples", "count", "main", "<python 0x7f00>", "[truncated: too deep]",
                  "profile.frame.type"],
  "functionTable": [{}, {"nameStrindex": 3}, {"nameStrindex": 4}, {"nameStrindex": 5}],
  "attributeTable": [{}, {"keyStrindex": 6, "value": {"stringValue": "cpython"}}],
  "mappingTable": [{}], "linkTable": [{}],
  "locationTable": [{},
    {"lines": [{"functionIndex": 1}], "attributeIndices": [1]},
    {"lines": [{"functionIndex": 2}], "attributeIndices": [1]},
    {"lines": [{"functionIndex": 3}]}],
  "stackTable": [{}, {"locationIndices": [2, 1]}, {"locationIndices": [1, 3]}]},
"resourceProfiles": [
  {"resource": {"attributes": [
     {"key": "process.pid", "value": {"intValue": "1"}},
     {"key": "process.runtime.name", "value": {"stringValue": "cpython"}},
     {"key": "process.runtime.version", "value": {"stringValue": "3.11.2"}}]},
   "scopeProfiles": [{"profiles": [{"sampleType": {"typeStrindex": 1, "unitStrindex": 2},
     "samples": [{"stackIndex": 1, "values": ["3"]}, {"stackIndex": 2, "values": ["1"]}]}]}]},
  {"resource": {"attributes": [
     {"key": "process.pid", "value": {"intValue": "2"}},
     {"key": "process.runtime.name", "value": {"stringValue": "cpython"}},
     {"key": "process.runtime.version", "value": {"stringValue": "3.11.2"}}]},
   "scopeProfiles": [{"profiles": [{"sampleType": {"typeStrindex": 1, "unitStrindex": 2},
     "samples": [{"stackIndex": 1, "values": ["2"]}]}]}]},
  {"resource": {"attributes": [{"key": "process.pid", "value": {"intValue": "3"}}]},
   "scopeProfiles": [{"profiles": [{"sampleType": {"typeStrindex": 1, "unitStrindex": 2},
     "samples": [{"stackIndex": 2, "values": ["10"]}]}]}]}]})";

TEST(RuntimeSurveyTest, CountsSamplesByRuntime) {
  const codec::Reader* const reader = codec::FindReader(kProfiles);
  ASSERT_NE(reader, nullptr);
  const auto batch = codec::testing::ReadOne(*reader, kProfiles);
  ASSERT_TRUE(batch.ok()) << batch.status();
  RuntimeSurvey survey;
  CountRuntimes(*batch, &survey);
  EXPECT_EQ(survey.samples, 16u);
  ASSERT_EQ(survey.runtimes.size(), 1u);
  const RuntimeShare& python = survey.runtimes[0];
  EXPECT_EQ(python.runtime, "cpython 3.11.2");
  EXPECT_EQ(python.processes, 2u);
  EXPECT_EQ(python.samples, 6u);
  EXPECT_EQ(python.samples_complete, 5u);
  EXPECT_EQ(python.frames, 11u);
  EXPECT_EQ(python.frames_named, 6u);
  EXPECT_EQ(python.reasons, (std::map<std::string, uint64_t>{{"too deep", 1}}));
}

}  // namespace
}  // namespace flarestack::cli
