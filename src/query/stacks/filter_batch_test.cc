// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/stack_set_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "model/builder/batch_builder.h"
#include "model/sample_type.h"
#include "query/testing/stack_text.h"

namespace flarestack::query {
namespace {

// Two sample types of the same stacks: main, and main calling parse.
model::Batch TwoTypes() {
  model::BatchBuilder builder;
  model::DictionaryBuilder& to = builder.dictionary();
  const auto location = [&](std::string_view name) {
    const model::FunctionIndex function = to.Function({.name = to.String(name)});
    const std::vector<model::Line> lines = {{.function = function}};
    return to.Location({}, lines, {});
  };
  const model::LocationIndex root = location("main");
  const model::LocationIndex parse = location("parse");
  const model::StackIndex short_stack = to.Stack(std::vector{root});
  const model::StackIndex long_stack = to.Stack(std::vector{parse, root});
  const model::ScopeId scope = builder.AddScope(builder.AddResource({}), {});
  for (const auto& [type, factor] : {std::pair("space", 100), std::pair("count", 1)}) {
    builder.AddProfile(scope, {.sample_type = {.type = to.String(type), .unit = to.String("x")},
                               .time_unix_nano = 5});
    builder.AddSample({.stack = short_stack, .values = builder.Values({{3 * factor}})});
    builder.AddSample({.stack = long_stack, .values = builder.Values({{4 * factor}})});
  }
  return *std::move(builder).Finish();
}

std::string Text(const model::Batch& batch) {
  std::string text;
  for (const model::SampleTypeView& type : model::ListSampleTypes(batch)) {
    base::StrAppend(&text, type.type, "/", type.unit, ":");
    for (const model::StackWeight& row : model::SumByStack(batch, type)) {
      const auto frames = model::In(batch.dictionary.location_indices,
                                    batch.dictionary.stacks[row.stack.value].locations);
      base::StrAppend(&text, " ", frames.size(), " frames ", row.weight);
    }
    text += "\n";
  }
  return text;
}

TEST(FilterBatchTest, FiltersEachSampleType) {
  const model::Batch batch = TwoTypes();
  Filter filter;
  ASSERT_TRUE(filter.Add("only:parse").ok());
  const auto filtered = FilterBatch(batch, filter);
  ASSERT_TRUE(filtered.ok()) << filtered.status();
  EXPECT_EQ(Text(*filtered), "space/x: 2 frames 400\ncount/x: 2 frames 4\n");
  EXPECT_EQ(filtered->profiles[0].time_unix_nano, 5U);
}

TEST(FilterBatchTest, EditsFrames) {
  Filter filter;
  ASSERT_TRUE(filter.Add("hide:parse").ok());
  EXPECT_EQ(Text(*FilterBatch(TwoTypes(), filter)), "space/x: 1 frames 700\ncount/x: 1 frames 7\n");
}

// A file keeps what reports hide, so that a report on it can show it.
TEST(FilterBatchTest, KeepsInternalFrames) {
  const model::Batch batch = *ToBatch(testing::FromText("main;run%;work 3\nmain;gc 2\n"), 0);
  Filter filter;
  ASSERT_TRUE(filter.Add("only:work").ok());
  EXPECT_EQ(Text(*FilterBatch(batch, filter)), "samples/count: 3 frames 3\n");
  ASSERT_TRUE(filter.Add("hideinternals").ok());
  EXPECT_EQ(Text(*FilterBatch(batch, filter)), "samples/count: 2 frames 3\n");
}

TEST(FilterBatchTest, LeavesNoProfileIfNothingMatches) {
  Filter filter;
  ASSERT_TRUE(filter.Add("only:frobnicate").ok());
  const auto filtered = FilterBatch(TwoTypes(), filter);
  ASSERT_TRUE(filtered.ok()) << filtered.status();
  EXPECT_TRUE(filtered->profiles.empty());
}

}  // namespace
}  // namespace flarestack::query
