// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/online_cpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace flarestack::record::agent {
namespace {

using ::testing::ElementsAre;

TEST(OnlineCpusTest, MatchTheSystemCount) {
  EXPECT_EQ(OnlineCpus().size(), static_cast<size_t>(sysconf(_SC_NPROCESSORS_ONLN)));
}

TEST(ParseCpuListTest, ParsesRangesAndNumbers) {
  EXPECT_THAT(ParseCpuList("0\n").value_or(std::vector<int>{}), ElementsAre(0));
  EXPECT_THAT(ParseCpuList("0-2,5,7-8\n").value_or(std::vector<int>{}),
              ElementsAre(0, 1, 2, 5, 7, 8));
}

TEST(ParseCpuListTest, RejectsInvalidLists) {
  for (const char* text : {"", "\n", "a", "1-", "-1", "3-1", "0,0", "0-65536", "1,,2", "2,1"})
    EXPECT_FALSE(ParseCpuList(text).ok()) << text;
}

}  // namespace
}  // namespace flarestack::record::agent
