// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/resource_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::cli {
namespace {

using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

ResourceFlags::Environment Of(const Variables& variables) {
  return [=](const std::string& name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional(at->second);
  };
}

// One resource with service.name=old, by reference, and host.name=web-1.
model::Batch Example() {
  model::Batch batch;
  batch.dictionary.strings = {"", "service.name"};
  model::KeyValue& service = batch.dictionary.nodes.emplace_back();
  service.key_index = model::StringIndex{1};
  service.value = model::AnyValue::String("old");
  model::KeyValue& host = batch.dictionary.nodes.emplace_back();
  host.key = "host.name";
  host.value = model::AnyValue::String("web-1");
  batch.resources.push_back({.present = true, .attributes = {.begin = 0, .count = 2}});
  return batch;
}

// "key=value " of each attribute of the first resource.
std::string After(const std::vector<std::string>& words, const Variables& variables,
                  model::Batch batch = Example()) {
  CLI::App app;
  ResourceFlags flags;
  flags.Define(&app);
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  app.parse(reversed);
  if (const absl::Status status = flags.Read(Of(variables)); !status.ok())
    return std::string(base::Message(status));
  flags.Apply(&batch);
  std::string text;
  const model::Slice attributes = batch.resources[0].attributes;
  for (uint32_t i = attributes.begin; i < attributes.end(); ++i) {
    const model::KeyValue& node = batch.dictionary.nodes[i];
    text += base::StrCat(node.key_index ? batch.dictionary.Text(node.key_index) : node.key, "=",
                         node.value.text, " ");
  }
  return text;
}

TEST(ResourceFlagsTest, FlagsOverrideTheProfile) {
  EXPECT_EQ(After({}, {}), "service.name=old host.name=web-1 ");
  EXPECT_EQ(After({"--service", "new"}, {}), "host.name=web-1 service.name=new ");
  EXPECT_EQ(After({"--resource", "a=b=c", "--resource", "host.name=x"}, {}),
            "service.name=old a=b=c host.name=x ");
  EXPECT_EQ(After({"--resource", "service.name=x", "--service", "new"}, {}),
            "host.name=web-1 service.name=new ");
}

TEST(ResourceFlagsTest, VariablesFillInMissingAttributes) {
  EXPECT_EQ(
      After({}, {{"OTEL_SERVICE_NAME", "mine"}, {"OTEL_RESOURCE_ATTRIBUTES", "a=1,host.name=x"}}),
      "service.name=old host.name=web-1 a=1 ");
  model::Batch empty;
  empty.resources.emplace_back();
  EXPECT_EQ(
      After({"--resource", "a=2"},
            {{"OTEL_SERVICE_NAME", "mine"}, {"OTEL_RESOURCE_ATTRIBUTES", "a=1"}}, std::move(empty)),
      "a=2 service.name=mine ");
}

TEST(ResourceFlagsTest, ReportsBadFlagsAndVariables) {
  EXPECT_THAT(After({"--resource", "plain"}, {}), HasSubstr("--resource"));
  EXPECT_THAT(After({"--resource", "=x"}, {}), HasSubstr("--resource"));
  EXPECT_THAT(After({}, {{"OTEL_RESOURCE_ATTRIBUTES", "a"}}),
              HasSubstr("OTEL_RESOURCE_ATTRIBUTES"));
}

TEST(ResourceFlagsTest, IgnoresKeysWithABadIndex) {
  model::Batch batch = Example();
  batch.dictionary.nodes[0].key_index = model::StringIndex{77};
  CLI::App app;
  ResourceFlags flags;
  flags.Define(&app);
  app.parse(std::vector<std::string>{"new", "--service"});
  ASSERT_TRUE(flags.Read(Of({})).ok());
  flags.Apply(&batch);
  EXPECT_EQ(batch.resources[0].attributes.count, 3u);
}

}  // namespace
}  // namespace flarestack::cli
