// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/stack_set_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "base/text/text.h"
#include "model/builder/batch_builder.h"
#include "query/stacks/filter.h"
#include "query/testing/stack_text.h"

namespace flarestack::query {
namespace {

using model::AnyValue;
using ::testing::HasSubstr;

// Samples of a `samples/count` profile with a period in nanoseconds.
class Maker {
 public:
  explicit Maker(int64_t period = 0, std::string_view host_name = "web-1",
                 std::string_view type = "samples") {
    const model::KeyValue host = {.key = "host.name", .value = AnyValue::String(host_name)};
    const size_t attribute_count = host_name.empty() ? 0 : 1;
    const auto resource = builder_.AddResource(
        {.present = true, .attributes = builder_.dictionary().Nodes({&host, attribute_count})});
    model::Profile profile;
    profile.sample_type = {.type = Text(type), .unit = Text("count")};
    profile.period = period;
    profile.duration_nano = 1000;
    if (period != 0)
      profile.period_type = {.type = Text("cpu"), .unit = Text("nanoseconds")};
    builder_.AddProfile(builder_.AddScope(resource, {}), profile);
  }

  model::StringIndex Text(std::string_view text) { return builder_.dictionary().String(text); }

  // One location; names innermost first, as for inlining.
  model::LocationIndex Location(std::vector<std::string_view> names, uint64_t address = 0) {
    std::vector<model::Line> lines;
    for (const std::string_view name : names) {
      lines.push_back({.function = builder_.dictionary().Function(
                           {.name = Text(name), .filename = Text("a.cc")}),
                       .line = 7});
    }
    return builder_.dictionary().Location({.address = address}, lines, {});
  }

  Maker& Sample(std::vector<model::LocationIndex> leaf_first, int64_t value,
                std::string_view thread = {}) {
    std::vector<model::AttributeIndex> attributes;
    if (!thread.empty())
      attributes.push_back(
          builder_.dictionary().Attribute("thread.name", AnyValue::String(thread)));
    builder_.AddSample({.stack = builder_.dictionary().Stack(leaf_first),
                        .attributes = builder_.dictionary().AttributeList(attributes),
                        .values = builder_.Values({{value}})});
    return *this;
  }

  model::Batch Finish() { return *std::move(builder_).Finish(); }

 private:
  model::BatchBuilder builder_;
};

StackSet Collect(const std::vector<model::Batch>& batches, StackSetOptions options) {
  StackSetBuilder builder(std::move(options));
  for (const model::Batch& batch : batches)
    EXPECT_TRUE(builder.Add(batch, *model::SelectSampleType(batch, "")).ok());
  return std::move(builder).Finish();
}

std::vector<model::Batch> One(Maker& maker) {
  std::vector<model::Batch> batches;
  batches.push_back(maker.Finish());
  return batches;
}

TEST(StackSetBuilderTest, OrdersRootFirstWithInlinedFramesBelowTheirCaller) {
  Maker maker;
  maker.Sample({maker.Location({"inlined", "caller"}), maker.Location({"main"})}, 3);
  const StackSet set = Collect(One(maker), {});
  EXPECT_EQ(testing::ToText(set), "main;caller;inlined 3\n");
  EXPECT_TRUE(set.table.At(set.stack_frames[2]).is_inlined);
  EXPECT_FALSE(set.table.At(set.stack_frames[1]).is_inlined);
  EXPECT_EQ(set.table.At(set.stack_frames[0]).line, 7);
}

TEST(StackSetBuilderTest, MergesStacksThatDifferOnlyInAddresses) {
  Maker maker;
  maker.Sample({maker.Location({"f"}, 1)}, 3).Sample({maker.Location({"f"}, 2)}, 4);
  EXPECT_EQ(testing::ToText(Collect(One(maker), {})), "f 7\n");
}

TEST(StackSetBuilderTest, BatchesAddUp) {
  std::vector<model::Batch> batches;
  for (int i = 0; i < 2; ++i) {
    Maker maker;
    batches.push_back(maker.Sample({maker.Location({"f"})}, 3).Finish());
  }
  const StackSet set = Collect(batches, {});
  EXPECT_EQ(testing::ToText(set), "f 6\n");
  EXPECT_EQ(set.duration_nanos, 2000U);
}

TEST(StackSetBuilderTest, ShowsASampleWithoutAStack) {
  Maker maker;
  maker.Sample({}, 3);
  EXPECT_EQ(testing::ToText(Collect(One(maker), {})), "[no stack] 3\n");
}

TEST(StackSetBuilderTest, SkipsZeroValues) {
  Maker maker;
  maker.Sample({maker.Location({"f"})}, 0).Sample({maker.Location({"g"})}, 1);
  EXPECT_EQ(testing::ToText(Collect(One(maker), {})), "g 1\n");
}

TEST(StackSetBuilderTest, OnlyRequestedTagsSeparateRows) {
  Maker maker;
  maker.Sample({maker.Location({"f"})}, 1, "io").Sample({maker.Location({"f"})}, 2, "main");
  const std::vector<model::Batch> batches = One(maker);
  EXPECT_EQ(testing::ToText(Collect(batches, {})), "f 3\n");
  const StackSet set = Collect(batches, {.tag_keys = {"thread_name", "host.name"}});
  std::string text;
  for (const StackRow& row : set.rows) {
    for (const Tag& tag : set.TagsOf(row))
      base::StrAppend(&text, set.table.Text(tag.key), "=", set.table.Text(tag.value), " ");
    base::StrAppend(&text, row.value, "\n");
  }
  EXPECT_EQ(text,
            "host.name=web-1 thread_name=io 1\n"
            "host.name=web-1 thread_name=main 2\n");
}

TEST(StackSetBuilderTest, ConvertsCountsToTimeByThePeriod) {
  std::vector<model::Batch> batches;
  for (const int64_t period : {1000, 10}) {
    Maker maker(period);
    batches.push_back(maker.Sample({maker.Location({"f"})}, 3).Finish());
  }
  const StackSet set = Collect(batches, {.in_period_units = true});
  EXPECT_EQ(set.unit, "nanoseconds");
  EXPECT_EQ(testing::ToText(set), "f 3030\n");
  EXPECT_EQ(set.rows[0].events, 6);
}

model::Batch OfHost(std::string_view host_name, std::string_view function, int64_t value) {
  Maker maker(0, host_name);
  return maker.Sample({maker.Location({function}), maker.Location({"main"})}, value).Finish();
}

// "row: instance=value ..." by row and instance.
std::string PartsText(const StackSet& set) {
  std::string text;
  for (const StackRow& row : set.rows) {
    std::map<uint32_t, int64_t> values;
    for (uint32_t at = row.first_part; at != InstancePart::kNone; at = set.parts[at].next)
      values[set.parts[at].instance] += set.parts[at].value;
    base::StrAppend(&text, set.table.FunctionOf(set.FramesOf(row).back()), ":");
    for (const auto& [instance, value] : values)
      base::StrAppend(&text, " ", instance, "=", value);
    text += "\n";
  }
  return text;
}

TEST(StackSetBuilderTest, KeepsThePartOfEachInstance) {
  std::vector<model::Batch> batches;
  batches.push_back(OfHost("web-2", "f", 1));
  batches.push_back(OfHost("web-1", "f", 10));
  batches.push_back(OfHost("web-2", "f", 100));
  batches.push_back(OfHost("web-2", "g", 1000));
  StackSet set = Collect(batches, {.by_instance = true});
  ASSERT_EQ(set.instances.size(), 2U);
  EXPECT_THAT(set.instances[0].identity, HasSubstr("web-1"));
  EXPECT_EQ(set.instances[0].duration_nanos, 1000U);
  EXPECT_EQ(set.instances[1].duration_nanos, 3000U);
  EXPECT_EQ(PartsText(set), "f: 0=10 1=101\ng: 1=1000\n");
  EXPECT_EQ(set.parts.size(), 3U);
  // If a filter merges two rows, it merges their parts too.
  Filter filter;
  ASSERT_TRUE(filter.Add("hide:^[fg]$").ok());
  ASSERT_TRUE(filter.Apply(&set).ok());
  EXPECT_EQ(PartsText(set), "main: 0=10 1=1101\n");
  EXPECT_TRUE(Collect(batches, {}).parts.empty());
}

TEST(StackSetBuilderTest, EmptyResourcesAreOneInstancePerInput) {
  const model::Batch batch = OfHost("", "f", 1);
  StackSetBuilder builder({.by_instance = true});
  for (int input = 0; input < 3; ++input) {
    builder.BeginInput();
    for (int message = 0; message < 2; ++message)
      ASSERT_TRUE(builder.Add(batch, *model::SelectSampleType(batch, "")).ok());
  }
  const StackSet set = std::move(builder).Finish();
  EXPECT_EQ(set.instances.size(), 3U);
  EXPECT_EQ(PartsText(set), "f: 0=2 1=2 2=2\n");
}

// A snapshot of the objects in use by an instance.
model::Batch Snapshot(std::string_view host, int64_t value) {
  Maker maker(0, host, "inuse_objects");
  return maker.Sample({maker.Location({"f"})}, value).Finish();
}

TEST(StackSetBuilderTest, AveragesGaugesOverSnapshotsAndAddsThemOverInstances) {
  std::vector<model::Batch> batches;
  for (const int64_t value : {100, 200, 300})
    batches.push_back(Snapshot("a", value));
  batches.push_back(Snapshot("b", 7));
  const StackSet set = Collect(batches, {});
  EXPECT_EQ(testing::ToText(set), "f 207\n");
  EXPECT_TRUE(set.instances.empty());
  EXPECT_TRUE(set.parts.empty());
  EXPECT_EQ(PartsText(Collect(batches, {.by_instance = true})), "f: 0=200 1=7\n");
  EXPECT_EQ(testing::ToText(Collect(batches, {.has_averages = true})), "f 607\n");
}

TEST(StackSetBuilderTest, AddsGaugesOfFilesWithoutAnInstance) {
  StackSetBuilder builder({});
  for (int i = 0; i < 2; ++i) {
    const model::Batch batch = Snapshot("", 10);
    builder.BeginInput();
    ASSERT_TRUE(builder.Add(batch, *model::SelectSampleType(batch, "")).ok());
  }
  EXPECT_EQ(testing::ToText(std::move(builder).Finish()), "f 20\n");
}

TEST(StackSetBuilderTest, RejectsOtherUnits) {
  Maker timed(10);
  Maker plain;
  StackSetBuilder builder({.in_period_units = true});
  const model::Batch first = timed.Finish();
  const model::Batch second = plain.Finish();
  ASSERT_TRUE(builder.Add(first, *model::SelectSampleType(first, "")).ok());
  EXPECT_THAT(builder.Add(second, *model::SelectSampleType(second, "")).message(),
              HasSubstr("its values are samples/count, those before it samples/nanoseconds"));
}

TEST(StackSetBuilderTest, RejectsTooManyFrames) {
  Maker maker;
  const model::LocationIndex f = maker.Location({"f"});
  const model::Batch batch = maker.Sample({f, f, f}, 1).Finish();
  StackSetBuilder builder({.frames_max = 2});
  EXPECT_EQ(builder.Add(batch, *model::SelectSampleType(batch, "")).code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(StackSetBuilderTest, RejectsTooManyParts) {
  StackSetBuilder builder({.by_instance = true, .parts_max = 2});
  absl::Status status;
  for (const std::string_view host : {"a", "b", "a", "b", "c"}) {
    EXPECT_TRUE(status.ok());
    const model::Batch batch = OfHost(host, "f", 1);
    status = builder.Add(batch, *model::SelectSampleType(batch, ""));
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace flarestack::query
