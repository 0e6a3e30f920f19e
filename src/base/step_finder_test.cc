// SPDX-License-Identifier: Apache-2.0
#include "base/step_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace flarestack::base {
namespace {

TEST(StepFinder, MatchesDivision) {
  constexpr uint64_t kBegin = 1'700'000'000'000'000'000;
  std::mt19937_64 random(1);
  for (const uint64_t length : {uint64_t{1}, uint64_t{3}, uint64_t{20'000'000}, kBegin}) {
    std::vector<uint64_t> times = {kBegin,
                                   UINT64_MAX,
                                   kBegin,
                                   kBegin + length - 1,
                                   kBegin + length,
                                   kBegin + 2 * length - 1,
                                   kBegin + 2 * length};
    for (int i = 0; i < 1000; ++i)
      times.push_back(kBegin + random() % (50 * std::min(length, uint64_t{1} << 40)));
    std::sort(times.begin() + 500, times.end());  // the first half is unsorted, the second sorted
    StepFinder steps(kBegin, length);
    for (const uint64_t time : times)
      ASSERT_EQ(steps.Find(time), (time - kBegin) / length) << time << " of " << length;
  }
}

}  // namespace
}  // namespace flarestack::base
