// SPDX-License-Identifier: Apache-2.0
#include "model/gauge_type.h"

#include <gtest/gtest.h>

#include <vector>

namespace flarestack::model {
namespace {

TEST(GaugeType, DistinguishesGaugesFromCounts) {
  for (const char* gauge : {"inuse_space", "inuse_objects", "goroutine", "goroutines", "threads",
                            "live", "heap-live-size", "InUse_Space"})
    EXPECT_TRUE(IsGaugeType(gauge)) << gauge;
  for (const char* count : {"cpu", "samples", "alloc_space", "alloc_objects", "off_cpu", "delay",
                            "contentions", "wall", ""})
    EXPECT_FALSE(IsGaugeType(count)) << count;
}

TEST(GaugeType, AcceptsMoreNames) {
  EXPECT_FALSE(IsGaugeType("open_connections"));
  AddGaugeTypes(std::vector<std::string>{"open-connections"});
  EXPECT_TRUE(IsGaugeType("open_connections"));
}

}  // namespace
}  // namespace flarestack::model
