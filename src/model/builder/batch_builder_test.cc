// SPDX-License-Identifier: Apache-2.0
#include "model/builder/batch_builder.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "model/dump/dump.h"
#include "model/validation/validate.h"

namespace flarestack::model {
namespace {

Batch Finished(BatchBuilder builder) {
  auto batch = std::move(builder).Finish();
  EXPECT_TRUE(batch.ok()) << batch.status();
  EXPECT_TRUE(ValidateIndices(*batch).ok());
  return *std::move(batch);
}

struct NamedText {
  std::string_view key;
  std::string_view text;
};

Resource ResourceWith(BatchBuilder* builder, const std::vector<NamedText>& attributes) {
  std::vector<KeyValue> nodes;
  for (const NamedText& attribute : attributes) {
    nodes.push_back({.key_index = builder->dictionary().String(attribute.key),
                     .value = AnyValue::String(builder->dictionary().Keep(attribute.text))});
  }
  return {.present = true, .attributes = builder->dictionary().Nodes(nodes)};
}

// A message with one resource and one sample with this value and address.
Batch Message(const std::vector<NamedText>& attributes, int64_t value, uint64_t address) {
  BatchBuilder builder;
  const ResourceId resource = builder.AddResource(ResourceWith(&builder, attributes));
  const ScopeId scope = builder.AddScope(resource, {{.present = true, .name = "test"}});
  builder.AddProfile(scope, {.sample_type = {.type = builder.dictionary().String("cpu")}});
  const LocationIndex location = builder.dictionary().Location({.address = address}, {}, {});
  builder.AddSample(
      {.stack = builder.dictionary().Stack({{location}}), .values = builder.Values({{value}})});
  return Finished(std::move(builder));
}

TEST(BatchBuilderTest, EmptyBuilderMakesAnEmptyBatch) {
  const Batch batch = Finished(BatchBuilder());
  EXPECT_EQ(Dump(batch), "");
  EXPECT_EQ(batch.dictionary.strings.size(), 1U);
}

TEST(BatchBuilderTest, SamplesGoToTheLastProfileStarted) {
  BatchBuilder builder;
  const ScopeId scope = builder.AddScope(builder.AddResource({}), {});
  builder.AddProfile(scope, {.period = 1});
  builder.AddSample({.values = builder.Values({{10}})});
  builder.AddProfile(scope, {.period = 2});
  builder.AddSample({.values = builder.Values({{20}}), .timestamps = builder.Timestamps({{5}})});
  EXPECT_EQ(Dump(Finished(std::move(builder))),
            "resource absent\n"
            "  scope absent\n"
            "    profile\n"
            "      period 1\n"
            "      sample\n"
            "        values 10\n"
            "    profile\n"
            "      period 2\n"
            "      sample\n"
            "        values 20\n"
            "        timestamps 5\n");
}

TEST(BatchBuilderTest, SamplesCanBeSetLater) {
  BatchBuilder builder;
  const ScopeId scope = builder.AddScope(builder.AddResource({}), {});
  builder.AddProfile(scope, {.period = 1});
  builder.AddProfile(scope, {.period = 2});
  const std::vector<Sample> samples = {{.values = builder.Values({{20}})}};
  builder.SetSamples(1, samples);
  const Batch batch = Finished(std::move(builder));
  EXPECT_EQ(batch.profiles[0].samples.count, 0U);
  EXPECT_EQ(batch.profiles[1].samples.count, 1U);
}

TEST(BatchBuilderTest, MergesEqualResourcesAndScopes) {
  BatchBuilder builder;
  const ResourceId cart = builder.AddResource(ResourceWith(&builder, {{"service.name", "cart"}}));
  const ResourceId shop = builder.AddResource(ResourceWith(&builder, {{"service.name", "shop"}}));
  EXPECT_EQ(builder.AddResource(ResourceWith(&builder, {{"service.name", "cart"}})), cart);
  EXPECT_NE(shop, cart);
  const ScopeId scope = builder.AddScope(cart, {{.present = true, .name = "reader"}});
  EXPECT_EQ(builder.AddScope(cart, {{.present = true, .name = "reader"}}), scope);
  EXPECT_NE(builder.AddScope(shop, {{.present = true, .name = "reader"}}), scope);
  EXPECT_NE(builder.AddScope(cart, {{.present = true, .name = "reader", .version = "2"}}), scope);
  const Batch batch = Finished(std::move(builder));
  EXPECT_EQ(batch.resources.size(), 2U);
  EXPECT_EQ(batch.scopes.size(), 3U);
}

TEST(BatchBuilderTest, ResourceAttributeOrderDoesNotMatter) {
  BatchBuilder builder;
  const ResourceId one =
      builder.AddResource(ResourceWith(&builder, {{"host.name", "a"}, {"service.name", "b"}}));
  const ResourceId two =
      builder.AddResource(ResourceWith(&builder, {{"service.name", "b"}, {"host.name", "a"}}));
  EXPECT_EQ(one, two);
}

TEST(BatchBuilderTest, EveryPartOfAResourceMatters) {
  BatchBuilder builder;
  const std::vector<std::string_view> keys = {"service.name", "host.name"};
  const EntityRef one_key = {.type = "service", .id_keys = {.begin = 0, .count = 1}};
  const EntityRef other_key = {.type = "service", .id_keys = {.begin = 1, .count = 1}};
  const EntityRef described = {.type = "service", .description_keys = {.begin = 0, .count = 1}};
  const std::vector<ResourceId> ids = {
      builder.AddResource({}),
      builder.AddResource({.present = true}),
      builder.AddResource({.present = true, .dropped_attributes_count = 1}),
      builder.AddResource({.present = true, .schema_url = "s"}),
      builder.AddResource({.present = true}, {{one_key}}, keys),
      builder.AddResource({.present = true}, {{other_key}}, keys),
      builder.AddResource({.present = true}, {{described}}, keys),
      builder.AddResource({.present = true}, {{one_key, one_key}}, keys),
  };
  for (size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(ids[i].value, i);
  EXPECT_EQ(builder.AddResource({.present = true}, {{other_key}}, keys), ids[5]);
}

TEST(BatchBuilderTest, MergesNothingWithoutGrouping) {
  BatchBuilder builder(Grouping::kNone);
  const ResourceId one = builder.AddResource({});
  EXPECT_NE(builder.AddResource({}), one);
  EXPECT_NE(builder.AddScope(one, {}), builder.AddScope(one, {}));
}

TEST(BatchBuilderTest, ScopeThatDescribesItsProfilesIsNotMerged) {
  BatchBuilder builder;
  const ResourceId resource = builder.AddResource({});
  const std::vector<KeyValue> nodes = {{.key = "pprof.scope.anything", .value = AnyValue::Int(1)}};
  const Scope scope = {{.present = true, .attributes = builder.dictionary().Nodes(nodes)}};
  EXPECT_NE(builder.AddScope(resource, scope), builder.AddScope(resource, scope));
}

TEST(BatchBuilderTest, CopiesText) {
  BatchBuilder builder;
  {
    std::string gone = "gone after this block";
    const std::vector<std::string_view> keys = {gone};
    const EntityRef ref = {.schema_url = gone, .type = gone, .id_keys = {.begin = 0, .count = 1}};
    const ResourceId resource =
        builder.AddResource({.present = true, .schema_url = gone}, {{ref}}, keys);
    const ScopeId scope = builder.AddScope(
        resource, {{.present = true, .name = gone, .version = gone, .schema_url = gone}});
    builder.AddProfile(
        scope, {.profile_id = gone, .original_payload_format = gone, .original_payload = gone});
    gone.assign(gone.size(), 'x');
  }
  EXPECT_EQ(Dump(Finished(std::move(builder))).find("xxx"), std::string::npos);
}

TEST(BatchBuilderTest, MergedMessagesOfOneResourceShareTheResource) {
  BatchBuilder builder;
  builder.Merge(Message({{"service.name", "cart"}}, 1, 0x10));
  builder.Merge(Message({{"service.name", "shop"}}, 2, 0x10));
  builder.Merge(Message({{"service.name", "cart"}}, 3, 0x20));
  const Batch batch = Finished(std::move(builder));
  ASSERT_EQ(batch.resources.size(), 2U);
  const auto scopes = In(batch.scopes, batch.resources[0].scopes);
  ASSERT_EQ(scopes.size(), 1U);
  const auto profiles = In(batch.profiles, scopes[0].profiles);
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_EQ(Weight(batch, batch.samples[profiles[0].samples.begin]), 1);
  EXPECT_EQ(Weight(batch, batch.samples[profiles[1].samples.begin]), 3);
  EXPECT_EQ(batch.dictionary.stacks.size(), 3U) << "equal stacks are one";
}

TEST(BatchBuilderTest, MergePreservesTheMeaning) {
  const Batch message = Message({{"service.name", "cart"}, {"host.name", "h"}}, 7, 0x10);
  BatchBuilder builder;
  builder.Merge(message);
  EXPECT_EQ(Dump(Finished(std::move(builder))), Dump(message));
}

TEST(BatchBuilderTest, EnvelopeHasNoSamples) {
  BatchBuilder builder;
  builder.MergeEnvelope(Message({{"service.name", "cart"}}, 7, 0x10));
  const Batch batch = Finished(std::move(builder));
  EXPECT_EQ(batch.profiles.size(), 1U);
  EXPECT_EQ(batch.samples.size(), 0U);
  EXPECT_EQ(batch.dictionary.locations.size(), 1U);
}

TEST(BatchBuilderTest, MergeDropsOrphansAndDuplicates) {
  Batch from = Message({}, 7, 0x10);
  Dictionary& tables = from.dictionary;
  tables.strings.push_back("orphan");
  tables.strings.push_back("cpu");
  tables.functions.push_back({.name = {2}});
  tables.locations.push_back(tables.locations[1]);
  tables.location_indices.push_back({2});
  tables.stacks.push_back(
      {.locations = {.begin = static_cast<uint32_t>(tables.location_indices.size() - 1),
                     .count = 1}});
  from.samples.push_back(from.samples[0]);
  from.samples[1].stack = {2};
  from.profiles[0].samples.count = 2;
  BatchBuilder builder;
  builder.Merge(from);
  const Batch batch = Finished(std::move(builder));
  EXPECT_EQ(batch.dictionary.strings.size(), 2U);
  EXPECT_EQ(batch.dictionary.functions.size(), 1U);
  EXPECT_EQ(batch.dictionary.locations.size(), 2U);
  EXPECT_EQ(batch.dictionary.stacks.size(), 2U);
  EXPECT_EQ(batch.samples[0].stack, batch.samples[1].stack);
}

TEST(WeightTest, AddsValuesOrElseCountsTimestamps) {
  Batch batch;
  batch.values = {1, 2, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(),
                  -1};
  batch.timestamps = {10, 20};
  const Slice both = {.begin = 0, .count = 2};
  EXPECT_EQ(Weight(batch, {}), 0);
  EXPECT_EQ(Weight(batch, {.values = both}), 3);
  EXPECT_EQ(Weight(batch, {.timestamps = both}), 2);
  EXPECT_EQ(Weight(batch, {.values = both, .timestamps = both}), 3);
  EXPECT_EQ(Weight(batch, {.values = {.begin = 1, .count = 2}}),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(Weight(batch, {.values = {.begin = 3, .count = 2}}),
            std::numeric_limits<int64_t>::min());
}

}  // namespace
}  // namespace flarestack::model
