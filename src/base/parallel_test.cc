// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace flarestack::base {
namespace {

TEST(ParallelForTest, CallsWithEachNumberOnce) {
  for (const size_t threads : {0, 1, 2, 16}) {
    std::vector<std::atomic<int>> calls(1000);
    EXPECT_TRUE(ParallelFor(calls.size(), threads, [&](size_t i) {
                  ++calls[i];
                  return absl::OkStatus();
                }).ok());
    for (const std::atomic<int>& count : calls)
      EXPECT_EQ(count, 1);
  }
}

TEST(ParallelForTest, DoesNothingForNothing) {
  EXPECT_TRUE(ParallelFor(0, 4, [](size_t) { return absl::InternalError("called"); }).ok());
}

TEST(ParallelForTest, BeginsNothingAfterAnError) {
  std::atomic<int> calls = 0;
  const absl::Status status = ParallelFor(1000, 1, [&](size_t i) {
    ++calls;
    return i == 3 ? absl::DataLossError("three") : absl::OkStatus();
  });
  EXPECT_EQ(status, absl::DataLossError("three"));
  EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace flarestack::base
