// SPDX-License-Identifier: Apache-2.0
#include "pipeline/receivers/service_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "model/attribute_text.h"
#include "model/builder/batch_builder.h"

namespace flarestack::pipeline {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

// Returns the attributes of a resource after NameServices.
std::string AttributesOf(const Texts& texts) {
  model::BatchBuilder builder;
  std::vector<model::KeyValue> nodes;
  for (const auto& [key, value] : texts)
    nodes.push_back({.key_index = builder.dictionary().String(key),
                     .value = model::AnyValue::Reference(builder.dictionary().String(value))});
  builder.AddResource({.present = true, .attributes = builder.dictionary().Nodes(nodes)});
  auto batch = std::move(builder).Finish();
  EXPECT_TRUE(batch.ok());
  NameServices(&*batch);
  std::string text;
  for (const model::KeyValue& node :
       model::In(batch->dictionary.nodes, batch->resources[0].attributes)) {
    base::StrAppend(&text, batch->dictionary.Key(node), "=",
                    model::AttributeText(batch->dictionary, node.value), " ");
  }
  return text;
}

TEST(ServiceNamesTest, KeepsTheNameFromTheSender) {
  EXPECT_EQ(AttributesOf({{"process.executable.name", "java"}, {"service.name", "cart"}}),
            "process.executable.name=java service.name=cart ");
}

TEST(ServiceNamesTest, UsesTheExecutableAsTheService) {
  EXPECT_EQ(
      AttributesOf({{"container.id", "0123456789abcdef"}, {"process.executable.name", "java"}}),
      "container.id=0123456789abcdef process.executable.name=java service.name=java "
      "flarestack.service.name.rule=executable ");
  EXPECT_EQ(AttributesOf({{"process.executable.path", "/usr/bin/nginx"}}),
            "process.executable.path=/usr/bin/nginx service.name=nginx "
            "flarestack.service.name.rule=executable ");
}

TEST(ServiceNamesTest, UsesTheContainerNext) {
  EXPECT_EQ(AttributesOf({{"container.id", "0123456789abcdef"}}),
            "container.id=0123456789abcdef service.name=0123456789ab "
            "flarestack.service.name.rule=container ");
  EXPECT_EQ(AttributesOf({{"k8s.container.name", "web"}}),
            "k8s.container.name=web service.name=web flarestack.service.name.rule=container ");
}

TEST(ServiceNamesTest, FallsBackToUnknown) {
  EXPECT_EQ(AttributesOf({}), "service.name=unknown_service flarestack.service.name.rule=unknown ");
  EXPECT_EQ(AttributesOf({{"service.name", ""}}),
            "service.name=unknown_service flarestack.service.name.rule=unknown ");
}

}  // namespace
}  // namespace flarestack::pipeline
