// SPDX-License-Identifier: Apache-2.0
#include "store/sample_types.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text/text.h"

namespace flarestack::store {
namespace {

// "type:unit" of each, separated by commas.
std::string Matchers(std::string_view text) {
  std::string out;
  for (const SampleTypeMatcher& matcher : SampleTypesFor(text))
    base::StrAppend(&out, out.empty() ? "" : ", ", matcher.type, ":", matcher.unit);
  return out;
}

TEST(SampleTypesTest, EachSpellingOfOffCpuMatchesAllOfThem) {
  for (const std::string name : {"off_cpu", "offcpu", "off-cpu"}) {
    EXPECT_EQ(Matchers(name), "off_cpu:, offcpu:, off-cpu:");
    EXPECT_EQ(Matchers(name + ":nanoseconds"),
              "off_cpu:nanoseconds, offcpu:nanoseconds, off-cpu:nanoseconds");
  }
}

TEST(SampleTypesTest, KeepsOtherNamesUnchanged) {
  EXPECT_EQ(Matchers(""), "");
  EXPECT_EQ(Matchers("cpu"), "cpu:, samples:count");
  EXPECT_EQ(Matchers("cpu:nanoseconds"), "cpu:nanoseconds");
  EXPECT_EQ(Matchers("page-faults"), "page-faults:");
}

}  // namespace
}  // namespace flarestack::store
