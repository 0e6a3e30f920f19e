// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/presence.h"

#include <gtest/gtest.h>

#include <string>

namespace flarestack::store {
namespace {

// "x" in `marks` is a snapshot. In the result, "x" and "-" mark cells where the instance was
// present.
std::string Cover(const std::string& marks, Presence::Tail tail) {
  Presence presence(static_cast<uint32_t>(marks.size()));
  for (uint32_t i = 0; i < marks.size(); ++i) {
    if (marks[i] == 'x')
      presence.Mark(i);
  }
  const std::vector<bool> covered = presence.Covered(tail);
  std::string text;
  for (uint32_t i = 0; i < marks.size(); ++i)
    text += presence.IsMarked(i) ? 'x' : (covered[i] ? '-' : '.');
  return text;
}

TEST(Presence, JoinsSnapshotsOfOneInterval) {
  EXPECT_EQ(Cover("..x...x...x....", {}), "..x---x---x---.");
  EXPECT_EQ(Cover("..x...x...x....", {.intervals = 2}), "..x---x---x----");
}

TEST(Presence, EndsAtMissingSnapshots) {
  EXPECT_EQ(Cover("x.x.x.x.x.....x.x", {}), "x-x-x-x-x-----x-x");
  EXPECT_EQ(Cover("x.x.x.x.x.......x.x.", {}), "x-x-x-x-x-......x-x-");
}

TEST(Presence, SingleSnapshotHasTheRequestedLength) {
  EXPECT_EQ(Cover("..x.......", {.cells_of_single = 5}), "..x----...");
  EXPECT_EQ(Cover("..........", {}), "..........");
}

TEST(Presence, SharesRelateToTheCoveredTime) {
  const std::vector<std::vector<bool>> covered = {{true, true, false, false, false},
                                                  {false, false, true, true, false},
                                                  {true, true, true, true, false}};
  EXPECT_EQ(SharesOfTime(covered), (std::vector<double>{0.5, 0.5, 1}));
}

}  // namespace
}  // namespace flarestack::store
