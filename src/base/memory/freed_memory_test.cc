// SPDX-License-Identifier: Apache-2.0
#include "base/memory/freed_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <vector>

#include "base/sanitized.h"

namespace flarestack::base {
namespace {

long FaultsOfManyBlocks() {
  constexpr size_t kBlocks = 12;
  constexpr size_t kBlockBytes = 1 << 20;
  const auto faults = [] {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  const long before = faults();
  std::vector<std::vector<char>> blocks;
  for (size_t i = 0; i < kBlocks; ++i)
    blocks.emplace_back(kBlockBytes, 'x');
  return faults() - before;
}

TEST(FreedMemoryTest, IsReusedUntilItIsReleased) {
  if (kIsSanitized)
    GTEST_SKIP() << "sanitizers have their own allocator";
  KeepFreedMemory(uint64_t{4} << 30);
  const long at_first = FaultsOfManyBlocks();
  if (at_first < 1000)
    GTEST_SKIP() << "large pages, or the memory was already resident: " << at_first;
  EXPECT_LT(FaultsOfManyBlocks(), at_first / 10);
  GiveFreedMemoryBack();
  EXPECT_GT(FaultsOfManyBlocks(), at_first / 2);
}

}  // namespace
}  // namespace flarestack::base
