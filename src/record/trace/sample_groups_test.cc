// SPDX-License-Identifier: Apache-2.0
#include "record/trace/sample_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"

namespace flarestack::record::agent {
namespace {

using ::testing::ElementsAre;

std::shared_ptr<const ResourceAttributes> Attributes(const std::string& service,
                                                     const std::string& container = "") {
  ResourceAttributes attributes;
  if (!container.empty())
    attributes.push_back({"container.id", container});
  attributes.push_back({"service.name", service});
  return std::make_shared<const ResourceAttributes>(attributes);
}

class SampleGroupsTest : public ::testing::Test {
 protected:
  // Adds a process with that many samples.
  void Add(std::shared_ptr<const ResourceAttributes> group, uint64_t samples) {
    auto owner = std::make_shared<ProcessResource>();
    owner->pid = static_cast<pid_t>(100 + window_.owners.size());
    owner->group = std::move(group);
    const auto index = static_cast<uint32_t>(window_.owners.size());
    window_.owners.push_back(owner);
    for (uint64_t i = 0; i < samples; ++i)
      window_.samples[{.owner = index, .tid = 7}].times_ns.push_back(1000 * index + i);
  }

  static std::vector<std::string> Texts(const SampleGroups& groups) {
    std::vector<std::string> texts;
    for (const SampleGroup& group : groups.groups) {
      std::string text;
      for (const TextAttribute& attribute : *group.attributes)
        base::StrAppend(&text, attribute.value, " ");
      uint64_t samples = 0;
      for (const SampleEntry* entry : group.entries)
        samples += entry->second.times_ns.size();
      base::StrAppend(&text, samples);
      texts.push_back(text);
    }
    return texts;
  }

  SampleWindow window_;
};

TEST_F(SampleGroupsTest, GroupsProcessesWithTheSameAttributes) {
  const auto shop = Attributes("shop");
  Add(shop, 2);
  Add(Attributes("web"), 1);
  Add(shop, 3);
  Add(Attributes("idle"), 0);
  const SampleGroups groups = GroupSamples(window_, Grouping::kExecutable);
  EXPECT_THAT(Texts(groups), ElementsAre("shop 5", "web 1"));
  EXPECT_EQ(groups.process_count, 3u);
  EXPECT_EQ(groups.merged_count, 0u);
  EXPECT_EQ(groups.groups[0].process, nullptr);
}

TEST_F(SampleGroupsTest, KeepsProcessesSeparateOnRequest) {
  const auto shop = Attributes("shop");
  for (int i = 0; i < 3; ++i)
    Add(shop, 1);
  const SampleGroups groups = GroupSamples(window_, Grouping::kProcess, /*groups_max=*/2);
  EXPECT_THAT(Texts(groups), ElementsAre("shop 1", "shop 1", "shop 1"));
  EXPECT_EQ(groups.groups[2].process->pid, 102);
}

// For example programs that a build produces and runs once, each with a different name.
TEST_F(SampleGroupsTest, MergesTheSmallestByContainerOverTheLimit) {
  for (int i = 0; i < 50; ++i)
    Add(Attributes(base::StrCat("once", i), i % 2 == 0 ? "box" : ""), 1);
  Add(Attributes("web"), 9);
  Add(Attributes("shop"), 5);
  const SampleGroups groups = GroupSamples(window_, Grouping::kExecutable, /*groups_max=*/10);
  EXPECT_THAT(Texts(groups), ElementsAre("web 9", "shop 5", "box other 25", "other 25"));
  EXPECT_EQ(groups.process_count, 52u);
  EXPECT_EQ(groups.merged_count, 50u);
}

TEST_F(SampleGroupsTest, AllowsTheLimitItself) {
  for (int i = 0; i < 10; ++i)
    Add(Attributes(base::StrCat("service", i)), 1);
  EXPECT_EQ(GroupSamples(window_, Grouping::kExecutable, 10).groups.size(), 10u);
  EXPECT_EQ(GroupSamples(window_, Grouping::kExecutable, 9).groups.size(), 1u);
}

}  // namespace
}  // namespace flarestack::record::agent
