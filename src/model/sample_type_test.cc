// SPDX-License-Identifier: Apache-2.0
#include "model/sample_type.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "model/builder/batch_builder.h"

namespace flarestack::model {
namespace {

Batch OfTypes(const std::vector<std::pair<std::string, std::string>>& types) {
  BatchBuilder builder;
  const ScopeId scope = builder.AddScope(builder.AddResource({}), {});
  for (const auto& [type, unit] : types) {
    Profile profile;
    profile.sample_type = {.type = builder.dictionary().String(type),
                           .unit = builder.dictionary().String(unit)};
    builder.AddProfile(scope, profile);
  }
  auto batch = std::move(builder).Finish();
  EXPECT_TRUE(batch.ok()) << batch.status();
  return *std::move(batch);
}

// "type/unit", or the error.
std::string Selected(const Batch& batch, std::string_view wanted) {
  const auto type = SelectSampleType(batch, wanted);
  return type.ok() ? base::StrCat(type->type, "/", type->unit)
                   : std::string(type.status().message());
}

TEST(SampleTypeTest, SelectsATypeByNameAndUnit) {
  const Batch batch = OfTypes({{"cpu", "nanoseconds"}, {"cpu", "count"}, {"a/b", "count"}});
  EXPECT_EQ(Selected(batch, ""), "cpu/nanoseconds");
  EXPECT_EQ(Selected(batch, "cpu"), "cpu/nanoseconds");
  EXPECT_EQ(Selected(batch, "cpu/count"), "cpu/count");
  EXPECT_EQ(Selected(batch, "cpu:count"), "cpu/count");
  EXPECT_EQ(Selected(batch, "a/b"), "a/b/count");
  EXPECT_EQ(Selected(batch, "a/b/count"), "a/b/count");
  EXPECT_EQ(Selected(batch, "count"),
            "no sample type \"count\"; available: cpu/nanoseconds, cpu/count, a/b/count");
}

TEST(SampleTypeTest, FindsOffCpuInEachSpelling) {
  for (const std::string there : {"off_cpu", "offcpu", "off-cpu"}) {
    const Batch batch = OfTypes({{"cpu", "nanoseconds"}, {there, "nanoseconds"}});
    for (const std::string wanted : {"off_cpu", "offcpu", "off-cpu"}) {
      EXPECT_EQ(Selected(batch, wanted), there + "/nanoseconds");
      EXPECT_EQ(Selected(batch, wanted + ":nanoseconds"), there + "/nanoseconds");
      EXPECT_EQ(Selected(batch, wanted + "/nanoseconds"), there + "/nanoseconds");
    }
  }
  const Batch both = OfTypes({{"offcpu", "nanoseconds"}, {"off_cpu", "nanoseconds"}});
  EXPECT_EQ(Selected(both, "off_cpu"), "off_cpu/nanoseconds") << "the exact one comes first";
}

}  // namespace
}  // namespace flarestack::model
