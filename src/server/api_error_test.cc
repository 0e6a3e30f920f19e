// SPDX-License-Identifier: Apache-2.0
#include "server/api_error.h"

#include <gtest/gtest.h>

namespace flarestack::server {
namespace {

TEST(ApiErrorTest, SaysWhenToTryAgainWhereThatHelps) {
  const net::HttpResponse unavailable = ApiError(absl::UnavailableError("opening"));
  EXPECT_EQ(unavailable.status, 503);
  EXPECT_EQ(unavailable.headers.Get("Retry-After"), "1");
  EXPECT_EQ(ApiError(absl::InvalidArgumentError("bad")).headers.Find("Retry-After"), std::nullopt);
}

}  // namespace
}  // namespace flarestack::server
