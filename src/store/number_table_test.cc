// SPDX-License-Identifier: Apache-2.0
#include "store/number_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace flarestack::store {
namespace {

TEST(NumberTable, FindsOnlyAddedNumbers) {
  NumberTable table;
  EXPECT_EQ(table.Find(0), NumberTable::kNone);
  std::map<uint32_t, uint32_t> added;
  std::mt19937 random(3);
  // Neighbours, multiples of large powers of two, and random numbers.
  for (uint32_t i = 0; i < 3000; ++i) {
    for (const uint32_t number : {i, i << 20, static_cast<uint32_t>(random() >> 1)}) {
      if (added.try_emplace(number, i).second)
        table.Add(number, i);
    }
  }
  for (const auto& [number, place] : added)
    EXPECT_EQ(table.Find(number), place) << number;
  for (uint32_t i = 0; i < 10'000; ++i) {
    const auto number = static_cast<uint32_t>(random() >> 1);
    if (!added.contains(number)) {
      EXPECT_EQ(table.Find(number), NumberTable::kNone) << number;
    }
  }
}

TEST(NumberTable, CopyIsIndependent) {
  NumberTable table;
  table.Add(7, 1);
  NumberTable copy = table;
  copy.Add(8, 2);
  EXPECT_EQ(copy.Find(7), 1u);
  EXPECT_EQ(copy.Find(8), 2u);
  EXPECT_EQ(table.Find(8), NumberTable::kNone);
}

}  // namespace
}  // namespace flarestack::store
