// SPDX-License-Identifier: Apache-2.0
#include "server/api/event_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/endpoint.h"

namespace flarestack::server::api {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class RecordingPeer : public net::HttpPeer {
 public:
  bool IsGone() override { return is_gone; }
  bool BeginResponse(const net::HttpResponse& head) override {
    type = head.headers.Get("Content-Type");
    parts.push_back(head.body);
    return !is_gone;
  }
  bool SendPart(std::string_view bytes) override {
    parts.emplace_back(bytes);
    return !is_gone;
  }

  void Abandon() override {}

  bool is_gone = false;
  std::string type;
  std::vector<std::string> parts;
};

class EventStreamTest : public ::testing::Test {
 protected:
  // Calls an endpoint that reads three parts, or fewer if stopped.
  net::HttpResponse Fetch(std::string_view accept, absl::Status status = absl::OkStatus()) {
    Endpoint endpoint = {.path = "/count", .summary = "", .parameters = {}, .handler = {}};
    endpoint.handler = [&](Call& call) -> absl::StatusOr<Answer> {
      for (done_ = 0; done_ < 3; ++done_) {
        if (!call.report({.parts = 3, .parts_done = done_, .rows = done_ * 10}))
          break;
      }
      if (!status.ok())
        return status;
      return Answer{.json = {{"done", done_}}};
    };
    const net::HttpRoute route = MakeRoute(
        std::move(endpoint), {.find_tenant = [](const net::HttpRequest&) { return std::string(); },
                              .find_data = [](const std::string&) { return DataSet(); },
                              .now_nanos = [] { return uint64_t{1}; }});
    net::HttpRequest request;
    request.method = "GET";
    request.headers.Set("Accept", std::string(accept));
    request.peer = &peer_;
    return route.handler(request);
  }

  RecordingPeer peer_;
  uint64_t done_ = 0;
};

TEST_F(EventStreamTest, ReportsProgressThenTheResponse) {
  const net::HttpResponse last = Fetch("text/event-stream");
  EXPECT_EQ(peer_.type, "text/event-stream");
  // The other reports follow the first too closely to be sent.
  ASSERT_FALSE(peer_.parts.empty());
  EXPECT_EQ(peer_.parts[0],
            "event: progress\ndata: {\"parts\":3,\"parts_done\":0,\"samples\":0}\n\n");
  EXPECT_THAT(last.body, MatchesRegex("event: answer\ndata: \\{\"done\":3,\"meta\":.*\\}\n\n"));
}

TEST_F(EventStreamTest, ErrorIsAnEventToo) {
  const net::HttpResponse last =
      Fetch("text/event-stream", absl::InvalidArgumentError("not like this"));
  EXPECT_THAT(last.body, StartsWith("event: error\ndata: {"));
  EXPECT_THAT(last.body, HasSubstr("not like this"));
}

TEST_F(EventStreamTest, ReadingStopsWhenTheClientIsGone) {
  peer_.is_gone = true;
  Fetch("text/event-stream");
  EXPECT_EQ(done_, 0u);
  Fetch("application/json");
  EXPECT_EQ(done_, 0u);
}

TEST_F(EventStreamTest, OtherClientsGetAPlainResponse) {
  const net::HttpResponse response = Fetch("application/json");
  EXPECT_TRUE(peer_.parts.empty());
  EXPECT_EQ(response.headers.Get("Content-Type"), "application/json");
  EXPECT_THAT(response.body, StartsWith("{\"done\":3"));
}

}  // namespace
}  // namespace flarestack::server::api
