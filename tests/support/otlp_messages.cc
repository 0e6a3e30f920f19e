// SPDX-License-Identifier: Apache-2.0
#include "otlp_messages.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "base/byte_reader.h"
#include "base/clock.h"
#include "base/text/text.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "store/testing/event_text.h"

namespace flarestack::testing {
namespace {

using store::testing::MakeBatch;
using store::testing::TextProfile;

constexpr std::string_view kStack = "main;n";

std::string ProfileId(std::string_view kind, uint64_t number) {
  std::string id(kind);  // eight bytes
  base::AppendBigEndian(number, &id);
  return id;
}

// `signal` and `items_name` are OTLP names: resourceSpans > scopeSpans > spans.
std::string Request(std::string_view signal, std::string_view items_name, std::string_view service,
                    const std::vector<std::string>& items) {
  std::string list;
  for (const std::string& item : items)
    base::StrAppend(&list, list.empty() ? "" : ",", item);
  return base::StrCat(R"({"resource)", signal,
                      R"(":[{"resource":{"attributes":[{"key":"service.name","value":)",
                      R"({"stringValue":")", service, R"("}}]},"scope)", signal, R"(":[{")",
                      items_name, R"(":[)", list, "]}]}]}");
}

}  // namespace

std::string RandomText(uint64_t seed, size_t bytes) {
  constexpr std::string_view kDigits =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
  std::mt19937_64 random(seed);
  std::string text;
  text.reserve(bytes + 10);
  while (text.size() < bytes) {
    uint64_t bits = random();
    for (int i = 0; i < 10; ++i, bits >>= 6)
      text += kDigits[bits & 63];
  }
  return text;
}

std::string ToProtobuf(const model::Batch& batch) {
  codec::wire::ReverseWriter out(1024);
  codec::otlp::EncodeProtobuf(batch, &out);
  return std::string(out.view());
}

model::Batch OneProfile(const std::string& service, const std::vector<std::string>& lines) {
  return MakeBatch(
      {{.service = service, .time = base::NowNanos() - 1'000'000'000, .lines = lines}});
}

std::string NumberedMessage(uint64_t number, uint64_t time_nanos, size_t padding_bytes) {
  std::vector<TextProfile> profiles = {
      {.service = base::StrCat("s", number % 3),
       .time = time_nanos,
       .profile_id = ProfileId("numbered", number),
       .lines = {base::StrCat(kStack, number, " @", time_nanos + number)}}};
  if (padding_bytes > 0) {
    profiles.push_back(
        {.service = "padding",
         .time = time_nanos,
         .profile_id = ProfileId("paddings", number),
         .lines = {base::StrCat(RandomText(number, padding_bytes), " @", time_nanos)}});
  }
  return ToProtobuf(MakeBatch(profiles));
}

std::string TracesRequest(std::string_view service, const std::vector<std::string>& spans) {
  return Request("Spans", "spans", service, spans);
}

std::string LogsRequest(std::string_view service, const std::vector<std::string>& records) {
  return Request("Logs", "logRecords", service, records);
}

std::string MetricsRequest(std::string_view service, const std::vector<std::string>& metrics) {
  return Request("Metrics", "metrics", service, metrics);
}

std::map<uint64_t, int> NumberedCounts(const ServerProcess& server) {
  std::map<uint64_t, int> counts;
  const std::string url =
      base::StrCat(server.http(), "/api/v1/export?format=folded",
                   "&from=now-1d&to=now%2B1d&q=", UrlEncode("{service.name=~\"s.\"}"));
  Answer response = Get(url);
  // A store that reopens after a failed write becomes readable soon.
  while (response.status == 503 && !response.retry_after.empty())
    response = Get(url);
  // 404 means that there is no data.
  EXPECT_TRUE(response.status == 200 || response.status == 404) << response.status << response.body;
  std::istringstream lines(response.body);
  std::string stack;
  int count = 0;
  while (lines >> stack >> count) {
    if (stack.starts_with(kStack))
      counts[std::stoull(stack.substr(kStack.size()))] += count;
  }
  return counts;
}

}  // namespace flarestack::testing
