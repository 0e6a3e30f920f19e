// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/recognise.h"

#include <gtest/gtest.h>

#include <string>

#include "base/warnings.h"
#include "codec/input_collector.h"
#include "codec/registry.h"
#include "model/signal.h"
#include "oracle/otlp_logs.pb.h"
#include "oracle/otlp_metrics.pb.h"
#include "oracle/otlp_profiles.pb.h"
#include "oracle/otlp_traces.pb.h"

namespace flarestack::codec::otlp {
namespace {

oracle::ProfilesData Profiles() {
  oracle::ProfilesData data;
  auto* resource = data.add_resource_profiles();
  resource->set_schema_url("https://example.com/schema");
  auto* profile = resource->add_scope_profiles()->add_profiles();
  profile->mutable_sample_type()->set_type_strindex(1);
  profile->mutable_sample_type()->set_unit_strindex(2);
  profile->add_samples()->add_values(150);
  for (const char* text : {"", "cpu", "nanoseconds"})
    data.mutable_dictionary()->add_string_table(text);
  return data;
}

std::string Traces() {
  oracle::TracesData data;
  auto* span = data.add_resource_spans()->add_scope_spans()->add_spans();
  span->set_trace_id("0123456789abcdef");
  span->set_span_id("01234567");
  span->set_name("GET /");
  return data.SerializeAsString();
}

std::string Logs() {
  oracle::LogsData data;
  data.add_resource_logs()->add_scope_logs()->add_log_records()->set_time_unix_nano(7);
  return data.SerializeAsString();
}

std::string Metrics() {
  oracle::MetricsData data;
  auto* metric = data.add_resource_metrics()->add_scope_metrics()->add_metrics();
  metric->set_name("http.server.request.duration");
  metric->set_unit("s");
  return data.SerializeAsString();
}

std::string ReadError(std::string bytes) {
  base::Warnings warnings;
  const auto info = ReadInput(&bytes, {}, &warnings, [](model::Batch) { return absl::OkStatus(); });
  return info.ok() ? "read as " + std::string(info->format) : std::string(info.status().message());
}

TEST(RecogniseTest, RecognisesASignalByItsItems) {
  EXPECT_EQ(SignalOf(Profiles().SerializeAsString()), model::Signal::kProfiles);
  EXPECT_EQ(SignalOf(Traces()), model::Signal::kTraces);
  EXPECT_EQ(SignalOf(Logs()), model::Signal::kLogs);
  EXPECT_EQ(SignalOf(Metrics()), model::Signal::kMetrics);
}

TEST(RecogniseTest, RejectsOtherSignalsByName) {
  EXPECT_EQ(ReadError(Traces()),
            "otlp: OTLP traces, not profiles; send them to a server at /v1/traces");
  EXPECT_EQ(ReadError(Logs()), "otlp: OTLP logs, not profiles; send them to a server at /v1/logs");
  EXPECT_EQ(ReadError(Metrics()),
            "otlp: OTLP metrics, not profiles; send them to a server at /v1/metrics");
  EXPECT_EQ(ReadError(R"({"resourceSpans":[]})"),
            "otlp-json: OTLP traces, not profiles; send them to a server at /v1/traces");
}

TEST(RecogniseTest, CountsLinesOfOtherSignals) {
  std::string lines = R"({"resourceSpans":[]})"
                      "\n"
                      R"({"resourceProfiles":[]})"
                      "\n"
                      R"({"resourceLogs":[]})";
  base::Warnings warnings;
  int batches = 0;
  const auto info = ReadInput(&lines, {}, &warnings, [&](model::Batch) {
    ++batches;
    return absl::OkStatus();
  });
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(batches, 1);
  ASSERT_EQ(warnings.kinds().size(), 1u);
  EXPECT_EQ(warnings.kinds().begin()->second.count, 2u);
}

TEST(RecogniseTest, ReportsTheOffsetOfTruncatedMessages) {
  const std::string huge = "\xff\xff\xff\xff\x0f";
  for (const std::string& bytes : {"\x0a" + huge + "abc", "\x12" + huge + "abc",
                                   "\x12\x06\x3a" + huge, "\x0a\x06\x12" + huge}) {
    EXPECT_NE(ReadError(bytes).find("otlp: not an OTLP profiles message"), std::string::npos)
        << ReadError(bytes);
    EXPECT_NE(ReadError(bytes).find(" at byte "), std::string::npos) << ReadError(bytes);
  }
}

// The next field number of the two outer messages, in every wire type.
TEST(RecogniseTest, FutureFieldsDoNotHideAMessage) {
  for (int type = 0; type < 5; ++type) {
    for (const bool is_outer : {true, false}) {
      oracle::ProfilesData data = Profiles();
      google::protobuf::Message* message = &data;
      if (!is_outer)
        message = data.mutable_resource_profiles(0);
      auto* fields = message->GetReflection()->MutableUnknownFields(message);
      const int number = is_outer ? 3 : 4;
      switch (type) {
        case 0:
          fields->AddVarint(number, 1);
          break;
        case 1:
          fields->AddFixed64(number, 1);
          break;
        case 2:
          fields->AddLengthDelimited(number, "future");
          break;
        case 3:
          fields->AddGroup(number)->AddVarint(1, 1);
          break;
        default:
          fields->AddFixed32(number, 1);
      }
      EXPECT_EQ(ReadError(data.SerializeAsString()), "read as otlp") << type << is_outer;
    }
  }
}

TEST(RecogniseTest, ResourceOf123BytesIsNotJson) {
  oracle::ProfilesData data = Profiles();
  auto* resource = data.mutable_resource_profiles(0);
  while (resource->ByteSizeLong() < 123)
    resource->mutable_schema_url()->push_back('x');
  const std::string bytes = data.SerializeAsString();
  ASSERT_EQ(bytes.substr(0, 2), "\n{");
  EXPECT_EQ(ReadError(bytes), "read as otlp");
  EXPECT_EQ(ReadError("\n{\"resourceProfiles\": []}"), "read as otlp-json");
}

}  // namespace
}  // namespace flarestack::codec::otlp
