// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "base/text/encoding.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "codec/otlp/testing/random_message.h"
#include "model/validation/validate.h"
#include "oracle/otlp_profiles.pb.h"

namespace flarestack::codec::otlp {
namespace {

std::string Encode(const model::Batch& batch) {
  wire::ReverseWriter out(EstimateProtobufBytes(batch));
  EncodeProtobuf(batch, &out);
  return std::string(out.view());
}

std::string GoldenVector() {
  return *base::HexDecode(
      "0a3f0a080a0612024006180512330a030a0178122c0a0408011002120a080112"
      "010118012201031900002a36fe9c9717208094ebdc032a04080310043080e1eb"
      "1712a8010a00120012091080201a040801100a1a001a020807221c0a10000000"
      "0000000000000000000000000012080000000000000000221c0a100102030405"
      "060708090a0b0c0d0e0f10120811121314151617182a002a0773616d706c6573"
      "2a05636f756e742a036370752a0b6e616e6f7365636f6e64732a0c7365727669"
      "63652e6e616d652a01612a046d61696e2a097468726561642e69643200320608"
      "08120218073a003a030a0101");
}

TEST(OtlpProtobufTest, ReadsTheGoldenVectorFieldByField) {
  const std::string bytes = GoldenVector();
  model::Batch batch;
  const auto layout = DecodeProtobuf(bytes, {}, &batch);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(*layout, Layout::k110);
  ASSERT_TRUE(model::ValidateIndices(batch).ok());
  const model::Dictionary& tables = batch.dictionary;

  ASSERT_EQ(batch.resources.size(), 1u);
  const model::KeyValue& attribute = tables.nodes[batch.resources[0].attributes.begin];
  EXPECT_EQ(tables.Key(attribute), "service.name");
  EXPECT_EQ(tables.String(attribute.value), "a");
  EXPECT_EQ(batch.scopes[0].name, "x");
  const model::Profile& profile = batch.profiles[0];
  EXPECT_EQ(tables.Text(profile.sample_type.type), "samples");
  EXPECT_EQ(tables.Text(profile.period_type.unit), "nanoseconds");
  EXPECT_EQ(profile.time_unix_nano, 1700000000000000000u);
  EXPECT_EQ(profile.duration_nano, 1000000000u);
  EXPECT_EQ(profile.period, 50000000);
  const model::Sample& sample = batch.samples[0];
  EXPECT_EQ(batch.values[sample.values.begin], 3);
  EXPECT_EQ(base::HexEncode(tables.links[sample.link.value].span_id), "1112131415161718");
  const model::Attribute& thread =
      tables.attributes[tables.attribute_indices[sample.attributes.begin].value];
  EXPECT_EQ(tables.Text(thread.key), "thread.id");
  EXPECT_EQ(thread.value.int_value, 7);
  const model::Location& location = tables.locations[1];
  EXPECT_EQ(location.address, 4096u);
  EXPECT_EQ(tables.lines[location.lines.begin].line, 10);
}

TEST(OtlpProtobufTest, WritesTheGoldenVectorByteForByte) {
  const std::string bytes = GoldenVector();
  model::Batch batch;
  ASSERT_TRUE(DecodeProtobuf(bytes, {}, &batch).ok());
  EXPECT_EQ(base::HexEncode(Encode(batch)), base::HexEncode(bytes));
}

oracle::ProfilesData RandomProfiles(uint32_t seed) {
  RandomMessage random(seed, RandomMessage::References::kSet);
  oracle::ProfilesData data;
  random.Fill(&data);
  for (auto& resource : *data.mutable_resource_profiles()) {
    for (auto& scope : *resource.mutable_scope_profiles()) {
      for (auto& profile : *scope.mutable_profiles()) {
        profile.set_profile_id("0123456789abcdef");
        profile.set_original_payload_format("jfr");
        // A sample without values is judged by its shape and may look like an older layout.
        for (auto& sample : *profile.mutable_samples())
          sample.add_values(random.Number(1000));
      }
    }
  }
  data.mutable_dictionary();
  *data.mutable_dictionary()->mutable_link_table(0)->mutable_trace_id() = std::string(16, '\1');
  return data;
}

TEST(OtlpProtobufTest, LibprotobufReadsTheSameAfterOurRoundTrip) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const oracle::ProfilesData before = RandomProfiles(seed);
    const std::string bytes = before.SerializeAsString();
    model::Batch batch;
    const auto layout = DecodeProtobuf(bytes, {}, &batch);
    ASSERT_TRUE(layout.ok()) << layout.status() << " seed " << seed;
    ASSERT_EQ(*layout, Layout::k110) << "seed " << seed;

    oracle::ProfilesData after;
    ASSERT_TRUE(after.ParseFromString(Encode(batch)));
    EXPECT_EQ(Difference(before, after), "") << "seed " << seed;
  }
}

TEST(OtlpProtobufTest, EveryTruncationIsAnErrorOrAWholeMessage) {
  const std::string bytes = GoldenVector();
  model::Batch batch;
  int errors = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto layout = DecodeProtobuf(std::string_view(bytes).substr(0, size), {}, &batch);
    if (layout.ok())
      continue;
    ++errors;
    EXPECT_EQ(layout.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(base::Message(layout.status()).find("at byte "), std::string_view::npos)
        << layout.status();
  }
  EXPECT_EQ(errors, 234);  // all except the empty message and the end of the resources
}

TEST(OtlpProtobufTest, LimitErrorNamesTheTable) {
  std::string bytes;  // a dictionary with five empty mappings
  for (int i = 0; i < 5; ++i)
    bytes += std::string("\x0a\x00", 2);
  bytes = "\x12" + std::string(1, static_cast<char>(bytes.size())) + bytes;
  model::Batch batch;
  const auto layout = DecodeProtobuf(bytes, {.table_entries_max = 4}, &batch);
  EXPECT_EQ(layout.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(base::Message(layout.status()).find("mapping_table"), std::string_view::npos)
      << layout.status();
  EXPECT_TRUE(DecodeProtobuf(bytes, {.table_entries_max = 5}, &batch).ok());
}

TEST(OtlpProtobufTest, RejectsAttributeValuesNestedTooDeep) {
  oracle::ProfilesData data;
  oracle::AnyValue* value = data.mutable_dictionary()->add_attribute_table()->mutable_value();
  for (int i = 0; i < 70; ++i)
    value = value->mutable_array_value()->add_values();
  model::Batch batch;
  const auto layout = DecodeProtobuf(data.SerializeAsString(), {}, &batch);
  EXPECT_EQ(layout.status().code(), absl::StatusCode::kResourceExhausted) << layout.status();
}

}  // namespace
}  // namespace flarestack::codec::otlp
