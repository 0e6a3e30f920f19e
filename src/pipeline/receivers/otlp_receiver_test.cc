// SPDX-License-Identifier: Apache-2.0
#include "pipeline/receivers/otlp_receiver.h"

#include <gtest/gtest.h>

namespace flarestack::pipeline {
namespace {

// Takes nothing, for one reason.
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

OtlpAnswer AnswerOf(absl::Status reason) {
  ClosedSink sink(std::move(reason));
  base::Counters counters;
  OtlpReceiver receiver(&sink, &counters, {});
  return receiver.Receive(Signal::kTraces, Encoding::kJson,
                          R"({"resourceSpans":[{"scopeSpans":[{"spans":[{
        "traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708",
        "name":"get","startTimeUnixNano":"1","endTimeUnixNano":"2"}]}]}]})");
}

TEST(OtlpReceiver, AsksForAnotherTryWhereOneMayWork) {
  const OtlpAnswer full = AnswerOf(absl::ResourceExhaustedError("the disk is full"));
  EXPECT_TRUE(absl::IsResourceExhausted(full.status)) << full.status;
  EXPECT_TRUE(full.may_retry);
  const OtlpAnswer failed = AnswerOf(absl::DataLossError("a table is broken"));
  EXPECT_TRUE(absl::IsUnavailable(failed.status)) << failed.status;
  EXPECT_TRUE(failed.may_retry);
}

// OTLP clients send again after OUT_OF_RANGE.
TEST(OtlpReceiver, AStoreWithoutNumbersEndsTheTries) {
  const OtlpAnswer answer = AnswerOf(absl::OutOfRangeError("no numbers are left"));
  EXPECT_EQ(answer.status, absl::InternalError("no numbers are left"));
  EXPECT_FALSE(answer.may_retry);
}

}  // namespace
}  // namespace flarestack::pipeline
