// SPDX-License-Identifier: Apache-2.0
#include "query/traces/critical_path.h"

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "query/testing/trace_text.h"

namespace flarestack::query {
namespace {

std::string PathOf(std::string_view text) {
  const model::TraceBatch batch = testing::TraceFromText(text);
  const SpanTree tree = BuildSpanTree(batch);
  std::string path;
  for (const PathSegment& at : CriticalPath(batch, tree)) {
    base::StrAppend(&path, path.empty() ? "" : " ", batch.spans[tree.nodes[at.node].span].name, ":",
                    at.from, "-", at.to);
  }
  return path;
}

TEST(CriticalPathTest, FollowsTheChildThatFinishedLast) {
  EXPECT_EQ(PathOf(R"(
    shop root - 0 100
    shop a root 5 30
    shop b root 20 60
    shop c root 40 90
  )"),
            "root:0-5 a:5-30 root:30-40 c:40-90 root:90-100");
}

TEST(CriticalPathTest, DescendsIntoChildren) {
  EXPECT_EQ(PathOf(R"(
    shop root - 0 100
    cart a root 10 90
    cart b a 20 50
    disk c b 30 40
  )"),
            "root:0-10 a:10-20 b:20-30 c:30-40 b:40-50 a:50-90 root:90-100");
}

TEST(CriticalPathTest, MovesChildrenWithAnotherClockIntoTheirParent) {
  EXPECT_EQ(PathOf(R"(
    shop root - 100 200
    cart early root 50 120
    cart late root 180 250
    cart outside root 300 400
  )"),
            "early:100-120 root:120-180 late:180-200");
}

TEST(CriticalPathTest, SkipsSpansThatTheParentDidNotWaitFor) {
  EXPECT_EQ(PathOf(R"(
    shop root - 0 100
    shop background root 10 500
    mail consumer root 20 300 consumer
    cart a root 30 60
  )"),
            "root:0-30 a:30-60 root:60-100");
}

TEST(CriticalPathTest, StartsAtTheMainRoot) {
  EXPECT_EQ(PathOf(R"(
    shop small - 0 10
    shop root - 5 50
    shop orphan x 0 90
    shop a root 10 20
  )"),
            "root:5-10 a:10-20 root:20-50");
}

TEST(CriticalPathTest, TerminatesForCyclesAndEmptySpans) {
  EXPECT_EQ(PathOf("s a b 0 10\ns b a 2 5\n"), "a:0-2 b:2-5 a:5-10");
  EXPECT_EQ(PathOf("s a - 7 7\ns b a 7 7\n"), "");
  EXPECT_EQ(PathOf("s a - 9 3\n"), "");
  EXPECT_EQ(PathOf(""), "");
}

TEST(CriticalPathTest, HandlesAnyDepth) {
  std::string chain = "s n0 - 0 1000000\n";
  for (int i = 1; i < 50'000; ++i)
    base::StrAppend(&chain, "s n", i, " n", i - 1, " ", i, " ", 1'000'000 - i, "\n");
  const model::TraceBatch batch = testing::TraceFromText(chain);
  EXPECT_EQ(CriticalPath(batch, BuildSpanTree(batch)).size(), 2u * 50'000 - 1);
}

}  // namespace
}  // namespace flarestack::query
