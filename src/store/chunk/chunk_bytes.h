// SPDX-License-Identifier: Apache-2.0
//
// Definitions shared by the chunk writers and readers (docs/formats/chunk.md). Private to them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "store/chunk/chunk.h"

namespace flarestack::store {

inline constexpr char kChunkVersion = 3;
inline constexpr char kChunkVersionWithoutBounds = 2;

// Replaces the column of values.
inline constexpr std::string_view kEachRowCountsOne("\1", 1);

enum ChunkProfileFlag : uint8_t {
  kHasTimestamps = 1,
  kHasValues = 2,
  kHasId = 4,
};

// How an attribute column stores the values of its sets.
enum ChunkColumnForm : char {
  kEachSet = 0,
  kConstant = 1,
  kIsContext = 2,  // already stored with the times
};

// How a row names its link.
enum ChunkLinkCode : uint64_t {
  kNoLink = 0,
  kNewLink = 1,     // the next in the list
  kLatestLink = 2,  // the newest one seen so far; 3 is the one before it, and so on
};

// The remainder of a time modulo the period is the phase of a CPU's timer plus a little noise. So
// it is stored as the difference from the remainders of the previous rows with the same value of
// one attribute. The encoder picks the attribute that makes the differences smallest, usually the
// CPU or the thread.
class Remainders {
 public:
  explicit Remainders(size_t contexts) : expected_(contexts, kNone) {}

  uint64_t Expected(uint64_t context) const {
    return expected_[context] == kNone ? last_of_any_ : expected_[context];
  }
  void Observe(uint64_t context, uint64_t remainder) {
    const int64_t difference = base::Difference(remainder, Expected(context));
    // A jump means a new phase. Within a phase, the mean of a few rows predicts better than the
    // last.
    const bool is_noise = difference > -kNoiseMax && difference < kNoiseMax;
    expected_[context] =
        is_noise ? base::AddDifference(Expected(context), difference / 4) : remainder;
    last_of_any_ = remainder;
  }

 private:
  static constexpr uint64_t kNone = UINT64_MAX;
  static constexpr int64_t kNoiseMax = 16'384;
  std::vector<uint64_t> expected_;
  uint64_t last_of_any_ = 0;
};

// Returns {0, 0} for an empty chunk.
inline ChunkBounds BoundsOf(const Chunk& chunk) {
  if (chunk.rows.empty() && chunk.profiles.empty())
    return {.first = 0, .last = 0};
  ChunkBounds bounds = {.first = UINT64_MAX, .last = 0};
  const auto widen = [&](uint64_t time) {
    bounds.first = std::min(bounds.first, time);
    bounds.last = std::max(bounds.last, time);
  };
  for (const ChunkRow& row : chunk.rows)
    widen(row.time);
  for (const ChunkProfile& profile : chunk.profiles)
    widen(profile.time);
  return bounds;
}

// Positions of stacks, most frequent first, so that most rows encode theirs as a small number.
inline std::vector<uint32_t> OrderByCount(const std::vector<uint64_t>& counts) {
  std::vector<uint32_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return counts[a] > counts[b]; });
  return order;
}

// The profile that a row with this time most likely belongs to: the last one that began before it.
inline uint32_t LikelyProfile(const std::vector<ChunkProfile>& profiles, uint64_t time) {
  const auto after = std::ranges::upper_bound(profiles, time, {}, &ChunkProfile::time);
  return after == profiles.begin() ? 0 : static_cast<uint32_t>(after - profiles.begin()) - 1;
}

}  // namespace flarestack::store
