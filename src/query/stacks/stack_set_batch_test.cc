// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/stack_set_batch.h"

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "model/sample_type.h"
#include "model/validation/validate.h"
#include "query/stacks/stack_set_builder.h"
#include "query/testing/stack_text.h"

namespace flarestack::query {
namespace {

// Reads the message back.
StackSet Again(const model::Batch& batch) {
  EXPECT_TRUE(model::ValidateIndices(batch).ok());
  StackSetBuilder builder({});
  EXPECT_TRUE(builder.Add(batch, model::ListSampleTypes(batch).at(0)).ok());
  return std::move(builder).Finish();
}

TEST(StackSetBatchTest, ContainsTheStacks) {
  StackSet set = testing::FromText(
      "main(a.cc:3 @app);parse(b.cc:12 @app);read(@libc.so) 3\n"
      "main(a.cc:3 @app);parse(b.cc:14 @app) 5\n"
      "main(a.cc:3 @app) 1\n");
  set.type = "cpu";
  set.unit = "nanoseconds";
  set.period = 7;
  set.duration_nanos = 9;
  const auto batch = ToBatch(set, 1000);
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_EQ(batch->profiles.size(), 1u);
  EXPECT_EQ(batch->profiles[0].time_unix_nano, 1000u);
  const StackSet again = Again(*batch);
  EXPECT_EQ(testing::ToText(again), testing::ToText(set));
  EXPECT_EQ(again.type, "cpu");
  EXPECT_EQ(again.unit, "nanoseconds");
  EXPECT_EQ(again.period, 7);
  EXPECT_EQ(again.duration_nanos, 9u);
  for (size_t row = 0; row < set.rows.size(); ++row) {
    const auto frames = set.FramesOf(set.rows[row]);
    const auto same = again.FramesOf(again.rows[row]);
    ASSERT_EQ(same.size(), frames.size());
    for (size_t i = 0; i < frames.size(); ++i) {
      const Frame& before = set.table.At(frames[i]);
      const Frame& after = again.table.At(same[i]);
      EXPECT_EQ(again.table.Text(after.file), set.table.Text(before.file));
      EXPECT_EQ(again.table.Text(after.module), set.table.Text(before.module));
      EXPECT_EQ(after.line, before.line);
    }
  }
}

TEST(StackSetBatchTest, InlinedFramesShareALocation) {
  StackSet set;
  FrameTable& table = set.table;
  const auto frame = [&](std::string_view name, bool is_inlined) {
    return table.AddFrame({.function = table.AddText(name),
                           .type = table.AddText("native"),
                           .line = 2,
                           .is_inlined = is_inlined});
  };
  set.stack_frames = {frame("main", false), frame("sort", true), frame("less", true),
                      frame("read", false)};
  set.rows = {{.frames = {.begin = 0, .count = 4}, .value = 4}};
  const auto batch = ToBatch(set, 0);
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->dictionary.locations.size(), 3u);  // including the reserved one
  const StackSet again = Again(*batch);
  EXPECT_EQ(testing::ToText(again), "main;sort;less;read 4\n");
  const auto frames = again.FramesOf(again.rows[0]);
  EXPECT_FALSE(again.table.At(frames[0]).is_inlined);
  EXPECT_TRUE(again.table.At(frames[2]).is_inlined);
  EXPECT_EQ(again.table.Text(again.table.At(frames[3]).type), "native");
}

TEST(StackSetBatchTest, KeepsTheMarkOfInternalFrames) {
  const auto batch = ToBatch(testing::FromText("main;eval%;Cart.add%cpython;eval 3\n"), 0);
  ASSERT_TRUE(batch.ok());
  const StackSet again = Again(*batch);
  ASSERT_EQ(again.rows.size(), 1u);
  std::string text;
  for (const FrameId id : again.FramesOf(again.rows[0])) {
    const Frame& frame = again.table.At(id);
    base::StrAppend(&text, again.table.Text(frame.function), "/", again.table.Text(frame.type),
                    frame.is_internal ? " internal\n" : "\n");
  }
  EXPECT_EQ(text, "main/\neval/native internal\nCart.add/cpython\neval/\n");
}

TEST(StackSetBatchTest, AddsRowsThatDifferInTags) {
  const StackSet set = testing::FromText("main;a 1 {thread=x}\nmain;a 2 {thread=y}\nmain 4\n");
  const auto batch = ToBatch(set, 0);
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->samples.size(), 2u);
  EXPECT_EQ(testing::ToText(Again(*batch)), "main;a 3\nmain 4\n");
}

TEST(StackSetBatchTest, EmptySetHasNoProfile) {
  const auto batch = ToBatch({}, 0);
  ASSERT_TRUE(batch.ok());
  EXPECT_TRUE(batch->profiles.empty());
}

}  // namespace
}  // namespace flarestack::query
