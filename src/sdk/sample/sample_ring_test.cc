// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "sdk/heap/allocation_sampler_signal.h"
#include "sdk/sample/capture_signal.h"
#include "sdk/sample/sample_ring_signal.h"

namespace flarestack::sdk {
namespace {

constexpr size_t kRingBytes = 64 << 10;

class SampleRingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(OpenSampleRing(kRingBytes));
    ResetRingAfterFork();  // empty
  }
};

Sample SampleOf(uint64_t value, std::span<const uintptr_t> frames) {
  return {.facts = {.kind = SampleKind::kCpu, .value = value}, .context = {}, .frames = frames};
}

TEST_F(SampleRingTest, GivesBackWhatWasPushed) {
  const std::vector<uintptr_t> frames = {1, 2, 3};
  const std::vector<uint8_t> labels = {0, 1, 'x'};
  Sample sample = SampleOf(5, frames);
  sample.context = {.trace_id = {1}, .span_id = {2}, .has_span = true, .labels = labels};
  ASSERT_TRUE(PushSample(sample));
  const auto read = PeekSample();
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->facts.value, 5);
  EXPECT_EQ(std::vector<uintptr_t>(read->frames.begin(), read->frames.end()), frames);
  EXPECT_EQ(std::vector<uint8_t>(read->context.labels.begin(), read->context.labels.end()), labels);
  EXPECT_TRUE(read->context.has_span);
  PopSample();
  EXPECT_FALSE(PeekSample().has_value());
}

TEST_F(SampleRingTest, AFullRingDropsAndCounts) {
  const std::vector<uintptr_t> frames(100, 1);
  uint64_t pushed = 0;
  while (PushSample(SampleOf(pushed, frames)))
    ++pushed;
  EXPECT_GT(pushed, kRingBytes / 1200);
  EXPECT_EQ(TakeLosses(SampleKind::kCpu), 1);
  EXPECT_FALSE(HasRoomForAllocation());
  for (uint64_t i = 0; i < pushed; ++i) {
    ASSERT_EQ(PeekSample()->facts.value, i);
    PopSample();
  }
  EXPECT_TRUE(HasRoomForAllocation());
}

TEST_F(SampleRingTest, ManyWritersAndAReaderLoseNothingButWhatIsCounted) {
  constexpr int kWriters = 4;
  constexpr uint64_t kPerWriter = 20'000;
  std::atomic<int> running = kWriters;
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&] {
      for (uint64_t i = 0; i < kPerWriter; ++i) {
        const std::vector<uintptr_t> frames(i % 50, i);
        PushSample(SampleOf(i, frames));
      }
      --running;
    });
  }
  uint64_t read = 0;
  for (;;) {
    const bool is_last_round = running == 0;
    while (const auto sample = PeekSample()) {
      ASSERT_EQ(sample->frames.size(), sample->facts.value % 50);
      for (const uintptr_t frame : sample->frames)
        ASSERT_EQ(frame, sample->facts.value);
      ++read;
      PopSample();
    }
    if (is_last_round)
      break;
  }
  for (std::thread& writer : writers)
    writer.join();
  EXPECT_EQ(read + TakeLosses(SampleKind::kCpu), kWriters * kPerWriter);
}

// Draws samples of allocations that are never made: the sampler only needs sizes.
class AllocationSamplerTest : public SampleRingTest {
 protected:
  void SetUp() override {
    SampleRingTest::SetUp();
    ASSERT_TRUE(OpenCapture());
    g_allocations.mean_bytes = 4096;
    g_allocations.is_on = true;
  }
  void TearDown() override { g_allocations.is_on = false; }
};

TEST_F(AllocationSamplerTest, SumsAreUnbiasedForMixedSizes) {
  // Of each size, so that large ones do not hide an error of small ones.
  for (const size_t bytes : {size_t{16}, size_t{1000}, size_t{100'000}}) {
    const size_t count = 400'000'000 / (bytes + 1000);
    const double p = 1 / AllocationWeight(static_cast<double>(bytes) + 1, 4096);
    double sum = 0;
    int pointee = 0;
    for (size_t i = 0; i < count; ++i) {
      OnAllocate(&pointee, bytes);
      while (const auto sample = PeekSample()) {
        sum += sample->facts.weight;
        PopSample();
      }
    }
    const auto expected = static_cast<double>(count);
    const double deviation = std::sqrt(expected * (1 - p) / p);
    EXPECT_NEAR(sum, expected, 5 * deviation + 1) << bytes;
  }
  EXPECT_EQ(TakeLosses(SampleKind::kAllocation), 0);
}

TEST(AllocationWeightTest, MatchesTheFormula) {
  EXPECT_NEAR(AllocationWeight(16, 524'288) * 16, 524'296, 1);
  EXPECT_NEAR(AllocationWeight(1 << 20, 524'288) * (1 << 20), 1'212'696.6, 1);
}

}  // namespace
}  // namespace flarestack::sdk
