// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/export_response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/status.h"
#include "base/text/encoding.h"
#include "codec/otlp/export_response_text.h"
#include "model/signal.h"

namespace flarestack::codec::otlp {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr Encoding kBoth[] = {Encoding::kProtobuf, Encoding::kJson};
constexpr model::Signal kAll[] = {model::Signal::kTraces, model::Signal::kMetrics,
                                  model::Signal::kLogs, model::Signal::kProfiles};

TEST(ExportResponseTest, FullSuccessIsEmpty) {
  EXPECT_EQ(EncodeExportResponse(model::Signal::kTraces, {}, Encoding::kProtobuf), "");
  EXPECT_EQ(EncodeExportResponse(model::Signal::kTraces, {}, Encoding::kJson), "{}");
}

TEST(ExportResponseTest, CountsRejectedItemsUnderTheNameOfTheSignal) {
  const PartialSuccess partial = {.rejected = 3, .error_message = "x"};
  for (const model::Signal signal : kAll) {
    EXPECT_EQ(base::HexEncode(EncodeExportResponse(signal, partial, Encoding::kProtobuf)),
              "0a050803120178");
  }
  const auto json = [&](model::Signal signal) {
    return EncodeExportResponse(signal, partial, Encoding::kJson);
  };
  EXPECT_EQ(json(model::Signal::kTraces),
            R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"x"}})");
  EXPECT_EQ(json(model::Signal::kMetrics),
            R"({"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"x"}})");
  EXPECT_EQ(json(model::Signal::kLogs),
            R"({"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"x"}})");
  EXPECT_EQ(json(model::Signal::kProfiles),
            R"({"partialSuccess":{"rejectedProfiles":"3","errorMessage":"x"}})");
}

TEST(ExportResponseTest, RoundTrips) {
  const PartialSuccess cases[] = {
      {},
      {.rejected = 0, .error_message = "a warning"},
      {.rejected = 1, .error_message = ""},
      {.rejected = std::numeric_limits<int64_t>::max(), .error_message = "\"\n\x01 \xC3\xA9"},
  };
  for (const PartialSuccess& partial : cases) {
    for (const model::Signal signal : kAll) {
      for (const Encoding encoding : kBoth) {
        const auto read =
            DecodeExportResponse(signal, EncodeExportResponse(signal, partial, encoding), encoding);
        ASSERT_TRUE(read.ok()) << read.status();
        EXPECT_EQ(*read, partial);
      }
    }
  }
}

TEST(ExportResponseTest, TruncatesALongMessageBetweenCharacters) {
  const std::string long_text(kResponseBytesMax, '\x01');
  std::string accents = "a";
  while (accents.size() < 2 * kErrorMessageBytesMax)
    accents += "\xC3\xA9";
  for (const std::string& text : {long_text, accents, std::string(kResponseBytesMax, '\xFF')}) {
    for (const Encoding encoding : kBoth) {
      const std::string bytes = EncodeExportResponse(
          model::Signal::kLogs, {.rejected = 1, .error_message = text}, encoding);
      EXPECT_LT(bytes.size(), kResponseBytesMax);
      const auto read = DecodeExportResponse(model::Signal::kLogs, bytes, encoding);
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_LE(read->error_message.size(), kErrorMessageBytesMax);
      EXPECT_THAT(read->error_message, EndsWith("..."));
      EXPECT_TRUE(base::IsValidUtf8(read->error_message));
    }
  }
}

RpcStatus FullStatus() {
  return {.code = 14,
          .message = "busy",
          .retry_delay = milliseconds(1500),
          .violations = {{.field = "resource_spans[0]", .description = "d", .reason = "R"}, {}}};
}

TEST(RpcStatusTest, JsonContainsTheTypesOfTheDetails) {
  EXPECT_EQ(EncodeRpcStatus(FullStatus(), Encoding::kJson),
            R"({"code":14,"message":"busy","details":[)"
            R"({"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500000000s"},)"
            R"({"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[)"
            R"({"field":"resource_spans[0]","description":"d","reason":"R"},{}]}]})");
}

TEST(RpcStatusTest, ProtobufEncodesTheDetailsAsAny) {
  const std::string bytes =
      EncodeRpcStatus({.code = 8, .message = "m", .retry_delay = seconds(2)}, Encoding::kProtobuf);
  const std::string type(kRetryInfoType);
  EXPECT_EQ(base::HexEncode(bytes),
            base::HexEncode(std::string("\x08\x08\x12\x01m\x1a\x30\x0a\x28") + type +
                            std::string("\x12\x04\x0a\x02\x08\x02")));
}

TEST(RpcStatusTest, RoundTrips) {
  RpcStatus negative = FullStatus();
  negative.code = -1;
  negative.retry_delay = -milliseconds(250);
  RpcStatus no_delay = {.code = 8, .message = "", .retry_delay = nanoseconds(0)};
  for (const RpcStatus& status : {RpcStatus{}, FullStatus(), negative, no_delay}) {
    for (const Encoding encoding : kBoth) {
      const auto read = DecodeRpcStatus(EncodeRpcStatus(status, encoding), encoding);
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(*read, status);
    }
  }
}

TEST(RpcStatusTest, SkipsUnknownDetails) {
  const auto read = DecodeRpcStatus(
      R"({"code":3,"details":[{"@type":"type.googleapis.com/google.rpc.Help","links":[{}]},
          {"retryDelay":"3s","@type":"type.googleapis.com/google.rpc.RetryInfo"}]})",
      Encoding::kJson);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->code, 3);
  EXPECT_EQ(read->retry_delay, seconds(3));
}

TEST(RpcStatusTest, ManyLongViolationsStayWithinTheLimit) {
  RpcStatus status;
  status.message = std::string(kResponseBytesMax, '\x02');
  status.violations.assign(5000, {.field = std::string(5000, '\x02'),
                                  .description = std::string(5000, '\x02'),
                                  .reason = std::string(5000, '\x02')});
  for (const Encoding encoding : kBoth) {
    const std::string bytes = EncodeRpcStatus(status, encoding);
    EXPECT_LT(bytes.size(), kResponseBytesMax);
    const auto read = DecodeRpcStatus(bytes, encoding);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->violations.size(), kViolationsMax);
  }
}

TEST(RpcStatusTest, ReportsTheOffsetOfBadBytes) {
  const std::string bytes = EncodeRpcStatus(FullStatus(), Encoding::kProtobuf);
  for (size_t size = 1; size < bytes.size(); ++size) {
    const auto read = DecodeRpcStatus(std::string_view(bytes).substr(0, size), Encoding::kProtobuf);
    if (!read.ok()) {
      EXPECT_THAT(std::string(base::Message(read.status())), HasSubstr(" at byte "));
    }
  }
  EXPECT_FALSE(DecodeRpcStatus("{", Encoding::kJson).ok());
  EXPECT_FALSE(DecodeExportResponse(model::Signal::kLogs, "\x0a\x05", Encoding::kProtobuf).ok());
  EXPECT_EQ(
      DecodeRpcStatus(std::string(kResponseBytesMax + 1, ' '), Encoding::kJson).status().code(),
      absl::StatusCode::kResourceExhausted);
}

TEST(RpcStatusTest, CodeMatchesAbseil) {
  const RpcStatus status = RpcStatusOf(absl::UnavailableError("later"));
  EXPECT_EQ(status.code, 14);
  EXPECT_EQ(status.message, "later");
}

TEST(DurationTextTest, ParsesAllForms) {
  EXPECT_EQ(ParseDuration("3s"), seconds(3));
  EXPECT_EQ(ParseDuration("0.000000001s"), nanoseconds(1));
  EXPECT_EQ(ParseDuration("-1.5s"), -milliseconds(1500));
  EXPECT_EQ(ParseDuration("9223372036854775807s"), nanoseconds::max());
  EXPECT_EQ(ParseDuration("-9223372036854775807s"), nanoseconds::min());
  for (const char* bad : {"", "s", "3", "3m", ".5s", "1.s", "1.0000000001s", "+1s", "1e3s",
                          "92233720368547758080s", "--1s"}) {
    EXPECT_EQ(ParseDuration(bad), std::nullopt) << bad;
  }
  for (const nanoseconds duration : {nanoseconds(0), nanoseconds::max(), nanoseconds::min()})
    EXPECT_EQ(ParseDuration(DurationText(duration)), duration);
}

}  // namespace
}  // namespace flarestack::codec::otlp
