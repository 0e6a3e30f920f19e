// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/instance.h"

#include <gtest/gtest.h>

#include <utility>

#include "model/builder/batch_builder.h"

namespace flarestack::query {
namespace {

using Attributes = std::vector<std::pair<std::string_view, std::string_view>>;

std::string IdentityOf(const Attributes& attributes) {
  model::BatchBuilder builder;
  std::vector<model::KeyValue> nodes;
  for (const auto& [key, value] : attributes)
    nodes.push_back({.key = key, .value = model::AnyValue::String(value)});
  builder.AddScope(
      builder.AddResource({.present = true, .attributes = builder.dictionary().Nodes(nodes)}), {});
  const model::Batch batch = *std::move(builder).Finish();
  return InstanceIdentity(batch.dictionary, batch.resources.at(0));
}

TEST(InstanceTest, PrefersTheServiceInstanceId) {
  const std::string identity =
      IdentityOf({{"service.name", "shop"}, {"service.instance.id", "1"}, {"host.name", "a"}});
  EXPECT_EQ(identity, IdentityOf({{"host.name", "b"},
                                  {"service.instance.id", "1"},
                                  {"service.version", "2.0"},
                                  {"service.name", "shop"}}));
  EXPECT_NE(identity, IdentityOf({{"service.name", "shop"}, {"service.instance.id", "2"}}));
  EXPECT_NE(identity, IdentityOf({{"service.name", "cart"}, {"service.instance.id", "1"}}));
}

TEST(InstanceTest, UsesHostPodProcessAndContainerNext) {
  const std::string identity = IdentityOf({{"host.name", "a"}, {"process.pid", "7"}});
  EXPECT_EQ(identity,
            IdentityOf({{"process.pid", "7"}, {"service.version", "2"}, {"host.name", "a"}}));
  EXPECT_NE(identity, IdentityOf({{"host.name", "a"}, {"process.pid", "8"}}));
  EXPECT_NE(identity, IdentityOf({{"host.name", "a"}}));
  EXPECT_NE(IdentityOf({{"k8s.pod.name", "a"}}), IdentityOf({{"container.id", "a"}}));
  EXPECT_EQ(IdentityOf({{"service.instance.id", ""}, {"host.name", "a"}}),
            IdentityOf({{"host.name", "a"}}));
}

TEST(InstanceTest, FallsBackToTheWholeResource) {
  EXPECT_EQ(IdentityOf({{"a", "1"}, {"b", "2"}}), IdentityOf({{"b", "2"}, {"a", "1"}}));
  EXPECT_NE(IdentityOf({{"a", "1"}, {"b", "2"}}), IdentityOf({{"a", "1"}}));
  EXPECT_NE(IdentityOf({{"a", "1;b=2"}}), IdentityOf({{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(IdentityOf({}), "");
}

}  // namespace
}  // namespace flarestack::query
