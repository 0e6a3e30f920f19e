// SPDX-License-Identifier: Apache-2.0
#include "pipeline/receivers/otlp_receiver.h"
#include "model/signal.h"

#include <gtest/gtest.h>

namespace flarestack::pipeline {
namespace {

// Rejects everything with one status.
class ClosedSink : public model::Sink {
 public:
  explicit ClosedSink(absl::Status reason) : reason_(std::move(reason)) {}

  absl::StatusOr<model::Pushed> Push(const model::Batch& /*batch*/) override { return reason_; }
  absl::Status Push(const model::TraceBatch& /*batch*/) override { return reason_; }
  absl::Status Push(const model::LogBatch& /*batch*/) override { return reason_; }
  absl::StatusOr<model::Pushed> Push(const model::MetricBatch& /*batch*/) override {
    return reason_;
  }

 private:
  const absl::Status reason_;
};

// Accepts everything and discards it.
class OpenSink : public model::Sink {
 public:
  absl::StatusOr<model::Pushed> Push(const model::Batch& /*batch*/) override {
    return model::Pushed();
  }
  absl::Status Push(const model::TraceBatch& /*batch*/) override { return absl::OkStatus(); }
  absl::Status Push(const model::LogBatch& /*batch*/) override { return absl::OkStatus(); }
  absl::StatusOr<model::Pushed> Push(const model::MetricBatch& /*batch*/) override {
    return model::Pushed();
  }
};

OtlpResponse ResponseTo(absl::Status reason) {
  ClosedSink sink(std::move(reason));
  base::Counters counters;
  OtlpReceiver receiver(&sink, &counters, {});
  return receiver.Receive(model::Signal::kTraces, Encoding::kJson,
                          R"({"resourceSpans":[{"scopeSpans":[{"spans":[{
        "traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708",
        "name":"get","startTimeUnixNano":"1","endTimeUnixNano":"2"}]}]}]})");
}

TEST(OtlpReceiver, AllowsARetryThatMaySucceed) {
  const OtlpResponse full = ResponseTo(absl::ResourceExhaustedError("the disk is full"));
  EXPECT_TRUE(absl::IsResourceExhausted(full.status)) << full.status;
  EXPECT_TRUE(full.may_retry);
  const OtlpResponse failed = ResponseTo(absl::DataLossError("a table is broken"));
  EXPECT_TRUE(absl::IsUnavailable(failed.status)) << failed.status;
  EXPECT_TRUE(failed.may_retry);
}

// OTLP clients retry OUT_OF_RANGE.
TEST(OtlpReceiver, StoreOutOfNumbersIsNotRetryable) {
  const OtlpResponse response = ResponseTo(absl::OutOfRangeError("no numbers are left"));
  EXPECT_EQ(response.status, absl::InternalError("no numbers are left"));
  EXPECT_FALSE(response.may_retry);
}

std::string Field(int number, const std::string& bytes) {
  return std::string({static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())}) + bytes;
}

// A message with one sample. Its attribute table contains only the reserved entry.
std::string ProfilesOf(const std::string& sample) {
  const std::string type = "\x08\x01\x10\x02";
  std::string tables;
  for (const int table : {1, 2, 3, 4, 6, 7})
    tables += Field(table, "");
  for (const char* text : {"", "cpu", "nanoseconds"})
    tables += Field(5, text);
  const std::string profile = Field(1, type) + Field(2, sample);
  return Field(1, Field(2, Field(2, profile))) + Field(2, tables);
}

TEST(OtlpReceiver, CountsAndReportsAnOlderLayout) {
  OpenSink sink;
  base::Counters counters;
  OtlpReceiver receiver(&sink, &counters, {});
  const auto receive = [&](const std::string& sample) {
    const OtlpResponse response =
        receiver.Receive(model::Signal::kProfiles, Encoding::kProtobuf, ProfilesOf(sample));
    EXPECT_TRUE(response.status.ok()) << response.status;
    return response.partial_success.error_message;
  };
  EXPECT_EQ(receive(Field(4, "\x05")).find("opentelemetry-proto"), std::string::npos);
  EXPECT_TRUE(counters.Find("flarestack_otlp_older_layouts_total").empty());
  EXPECT_NE(receive(Field(2, "\x05")).find("opentelemetry-proto 1.9"), std::string::npos);
  const auto counted = counters.Find("flarestack_otlp_older_layouts_total");
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0].Label("layout"), "1.9");
  EXPECT_EQ(counted[0].value, 1u);
}

}  // namespace
}  // namespace flarestack::pipeline
