// SPDX-License-Identifier: Apache-2.0
#include "server/api/error.h"

#include <gtest/gtest.h>

namespace flarestack::server::api {
namespace {

TEST(ErrorResponseTest, ReportsTheRetryDelayIfARetryHelps) {
  net::HttpRequest request;
  const net::HttpResponse unavailable = ErrorResponse(absl::UnavailableError("opening"), &request);
  EXPECT_EQ(unavailable.status, 503);
  EXPECT_EQ(unavailable.headers.Get("Retry-After"), "1");
  EXPECT_EQ(ErrorResponse(absl::InvalidArgumentError("bad"), &request).headers.Find("Retry-After"),
            std::nullopt);
}

TEST(ErrorResponseTest, EchoesOnlyValidRequestIds) {
  net::HttpRequest request;
  request.headers.Set("X-Request-Id", "abc-123");
  EXPECT_EQ(RequestId(&request), "abc-123");
  request.headers.Set("X-Request-Id", "<script>");
  const std::string made = RequestId(&request);
  EXPECT_EQ(made.size(), 16u);
  EXPECT_EQ(RequestId(&request), made);
}

}  // namespace
}  // namespace flarestack::server::api
