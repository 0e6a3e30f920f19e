// SPDX-License-Identifier: Apache-2.0
//
// Common requirements for traces, logs and metrics, with libprotobuf as the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "codec/otlp/testing/random_message.h"
#include "codec/otlp/testing/signal_traits.h"
#include "model/dump/signal_dump.h"
#include "oracle/otlp_logs.pb.h"
#include "oracle/otlp_metrics.pb.h"
#include "oracle/otlp_traces.pb.h"

namespace flarestack::codec::otlp {
namespace {

using ::testing::HasSubstr;

struct Traces : TraceTraits {
  using Oracle = oracle::TracesData;
};
struct Logs : LogTraits {
  using Oracle = oracle::LogsData;
};
struct Metrics : MetricTraits {
  using Oracle = oracle::MetricsData;
};

template <typename Signal>
typename Signal::Oracle RandomData(uint32_t seed) {
  typename Signal::Oracle data;
  RandomMessage(seed, RandomMessage::References::kOmitted).Fill(&data);
  return data;
}

template <typename Signal>
class SignalProtobufTest : public ::testing::Test {};
using Signals = ::testing::Types<Traces, Logs, Metrics>;
TYPED_TEST_SUITE(SignalProtobufTest, Signals);

TYPED_TEST(SignalProtobufTest, LibprotobufReadsTheSameAfterOurRoundTrip) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const auto before = RandomData<TypeParam>(seed);
    const std::string bytes = before.SerializeAsString();
    typename TypeParam::Batch batch;
    const absl::Status status = TypeParam::Decode(bytes, {}, &batch);
    ASSERT_TRUE(status.ok()) << status << " seed " << seed;
    typename TypeParam::Oracle after;
    ASSERT_TRUE(after.ParseFromString(EncodeToString<TypeParam>(batch)));
    EXPECT_EQ(Difference(before, after), "") << "seed " << seed;
  }
}

TYPED_TEST(SignalProtobufTest, SameBatchGivesTheSameBytes) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const std::string bytes = RandomData<TypeParam>(seed).SerializeAsString();
    typename TypeParam::Batch batch;
    ASSERT_TRUE(TypeParam::Decode(bytes, {}, &batch).ok());
    const std::string written = EncodeToString<TypeParam>(batch);
    typename TypeParam::Batch again;
    ASSERT_TRUE(TypeParam::Decode(written, {}, &again).ok());
    EXPECT_EQ(model::Dump(again), model::Dump(batch));
    EXPECT_EQ(EncodeToString<TypeParam>(again), written);
  }
}

TYPED_TEST(SignalProtobufTest, EveryTruncationIsAnErrorOrAWholeMessage) {
  for (uint32_t seed = 0; seed < 3; ++seed) {
    const std::string bytes = RandomData<TypeParam>(seed).SerializeAsString();
    typename TypeParam::Batch batch;
    for (size_t size = 0; size < bytes.size(); ++size) {
      const auto part = std::make_unique<std::string>(bytes, 0, size);
      const absl::Status status = TypeParam::Decode(*part, {}, &batch);
      if (status.ok())
        continue;
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(base::Message(status)), HasSubstr(TypeParam::kName));
      EXPECT_THAT(std::string(base::Message(status)), HasSubstr("at byte "));
      EXPECT_EQ(model::Dump(batch), "");
    }
  }
}

TYPED_TEST(SignalProtobufTest, SkipsUnknownFields) {
  const std::string bytes = RandomData<TypeParam>(1).SerializeAsString();
  typename TypeParam::Batch batch;
  ASSERT_TRUE(TypeParam::Decode(bytes, {}, &batch).ok());
  const std::string before = model::Dump(batch);
  const std::string more = bytes + "\x10\x05\x1a\x03xyz" + std::string("\xf8\x07\x01", 3);
  ASSERT_TRUE(TypeParam::Decode(more, {}, &batch).ok());
  EXPECT_EQ(model::Dump(batch), before);
}

// One resource and one scope with `count` empty items.
std::string EmptyItems(int count) {
  std::string items;
  for (int i = 0; i < count; ++i)
    items += std::string("\x12\x00", 2);
  const std::string scope = "\x12" + std::string(1, static_cast<char>(items.size())) + items;
  return "\x0a" + std::string(1, static_cast<char>(scope.size())) + scope;
}

TYPED_TEST(SignalProtobufTest, LimitsItems) {
  typename TypeParam::Batch batch;
  EXPECT_TRUE(TypeParam::Decode(EmptyItems(5), {.items_max = 5}, &batch).ok());
  const absl::Status status = TypeParam::Decode(EmptyItems(6), {.items_max = 5}, &batch);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_TRUE(batch.scopes.empty());
}

TYPED_TEST(SignalProtobufTest, LimitsResourcesAndScopes) {
  const std::string bytes = EmptyItems(0) + EmptyItems(0) + EmptyItems(0);
  typename TypeParam::Batch batch;
  EXPECT_TRUE(TypeParam::Decode(bytes, {.table_entries_max = 3}, &batch).ok());
  EXPECT_EQ(TypeParam::Decode(bytes, {.table_entries_max = 2}, &batch).code(),
            absl::StatusCode::kResourceExhausted);
}

TYPED_TEST(SignalProtobufTest, RejectsAResourceInTooManyPieces) {
  // A resource with one attribute, then a scope with one attribute that separates it from the next.
  const std::string attribute("\x0a\x00", 2);
  const std::string scope_attribute("\x1a\x00", 2);
  std::string content;
  for (int i = 0; i < 4000; ++i) {
    content += std::string("\x0a\x02", 2) + attribute;
    content += std::string("\x12\x04\x0a\x02", 4) + scope_attribute;
  }
  std::string bytes = "\x0a";
  for (size_t rest = content.size(); true; rest >>= 7) {
    if (rest < 0x80) {
      bytes += static_cast<char>(rest);
      break;
    }
    bytes += static_cast<char>(rest | 0x80);
  }
  bytes += content;
  typename TypeParam::Batch batch;
  EXPECT_EQ(TypeParam::Decode(bytes, {}, &batch).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_LT(batch.nodes.capacity(), size_t{1} << 22);
}

}  // namespace
}  // namespace flarestack::codec::otlp
