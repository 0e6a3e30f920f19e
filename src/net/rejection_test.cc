// SPDX-License-Identifier: Apache-2.0
//
// Every rejection by a server is reported with its status and reason.
#include "net/rejection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/compress/compress.h"
#include "base/mutex.h"
#include "base/text/text.h"
#include "net/grpc/grpc_client.h"
#include "net/grpc/grpc_server.h"
#include "net/http/http_server.h"
#include "net/testing/raw_client.h"

namespace flarestack::net {
namespace {

using ::testing::ElementsAre;

class ReportedRejections {
 public:
  RejectionHook hook() {
    return [this](std::string_view status, RejectionReason reason) {
      const base::MutexLock lock(mutex_);
      texts_.push_back(base::StrCat(status, " ", RejectionName(reason)));
    };
  }
  std::vector<std::string> Take() {
    const base::MutexLock lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  base::Mutex mutex_;
  std::vector<std::string> texts_ FLARE_GUARDED_BY(mutex_);
};

// Accepts "Bearer writer" and grants it the write role.
class OneWriter : public Authenticator {
 public:
  absl::StatusOr<Principal> Authenticate(const Credentials& credentials) override {
    if (credentials.authorization != "Bearer writer")
      return absl::UnauthenticatedError("who is that");
    Principal principal;
    principal.roles = RoleSet();
    principal.roles.Add(Role::kWrite);
    return principal;
  }
};

TEST(RejectionTest, EachReasonHasItsOwnName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(RejectionReason::kCredentialsDown); ++i)
    names.insert(RejectionName(static_cast<RejectionReason>(i)));
  EXPECT_EQ(names.size(), static_cast<size_t>(RejectionReason::kCredentialsDown) + 1);
  EXPECT_FALSE(names.contains(""));
}

TEST(RejectionTest, HttpReportsEachReason) {
  ReportedRejections rejections;
  HttpServerOptions options;
  options.on_rejected = rejections.hook();
  options.authenticator = std::make_shared<OneWriter>();
  options.limits.body_bytes_max = 100;
  options.limits.header_bytes_max = 1000;
  options.limits.header_timeout = std::chrono::milliseconds(20);
  options.limits.body_timeout = std::chrono::milliseconds(20);
  options.limits.decompress.bytes_max = 1000;
  const auto ok = [](HttpRequest&) { return HttpResponse(); };
  options.routes = {{"POST", "/", ok, Role::kWrite}, {"GET", "/admin", ok, Role::kAdmin}};
  auto server = HttpServer::Start(std::move(options));
  ASSERT_TRUE(server.ok());
  const std::string rest =
      " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer writer\r\n";
  const std::string bomb = base::Gzip(std::string(5000, 'x'));
  const std::pair<std::string, const char*> cases[] = {
      {"nonsense\r\n\r\n", "400 bad_head"},
      {"POST /" + rest + "A: " + std::string(2000, 'a') + "\r\n\r\n", "431 head_too_large"},
      {"POST / HT", "408 head_timeout"},
      {"POST /no" + rest + "\r\n", "404 no_route"},
      {"PUT /" + rest + "\r\n", "405 method"},
      {"POST /" + rest + "Content-Encoding: br\r\n\r\n", "415 encoding"},
      {"POST /" + rest + "Content-Length: 101\r\n\r\n", "413 body_too_large"},
      {"POST /" + rest + "Content-Length: 10\r\n\r\nx", "408 body_timeout"},
      {"POST /" + rest + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "400 bad_body"},
      {base::StrCat("POST /", rest, "Content-Encoding: gzip\r\nContent-Length: ", bomb.size(),
                    "\r\n\r\n", bomb),
       "413 expands_too_far"},
      {"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "401 credentials"},
      {"GET /admin" + rest + "\r\n", "403 role"},
  };
  for (const auto& [request, expected] : cases) {
    Exchange((*server)->port(), request);
    EXPECT_THAT(rejections.Take(), ElementsAre(expected)) << request.substr(0, 60);
  }
  EXPECT_THAT(Exchange((*server)->port(), "POST /" + rest + "\r\n"),
              ::testing::StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(rejections.Take(), ElementsAre());
}

TEST(RejectionTest, GrpcReportsEachReason) {
  ReportedRejections rejections;
  GrpcServerOptions options;
  options.on_rejected = rejections.hook();
  options.authenticator = std::make_shared<OneWriter>();
  options.limits.decompress.bytes_max = 1000;
  const auto budget = std::make_shared<base::ByteBudget>(2000);
  options.budget = budget;
  const auto ok = [](GrpcRequest&) { return GrpcResponse(); };
  options.methods = {{"/s/Write", ok, Role::kWrite}, {"/s/Admin", ok, Role::kAdmin}};
  auto server = GrpcServer::Start(std::move(options));
  ASSERT_TRUE(server.ok());
  auto client = GrpcClient::Create({.target = base::StrCat("127.0.0.1:", (*server)->port())});
  ASSERT_TRUE(client.ok());
  const auto call = [&](std::string_view method, size_t bytes, bool gzip, std::string who) {
    GrpcCallOptions call_options;
    call_options.gzip = gzip;
    call_options.metadata.Add("authorization", std::move(who));
    (*client)->Call(std::string(method), std::string(bytes, 'x'), call_options);
    return rejections.Take();
  };
  EXPECT_THAT(call("/s/None", 1, false, "Bearer writer"), ElementsAre("UNIMPLEMENTED no_route"));
  EXPECT_THAT(call("/s/Write", 1, false, "Bearer x"), ElementsAre("UNAUTHENTICATED credentials"));
  EXPECT_THAT(call("/s/Admin", 1, false, "Bearer writer"), ElementsAre("PERMISSION_DENIED role"));
  EXPECT_THAT(call("/s/Write", 1500, true, "Bearer writer"),
              ElementsAre("RESOURCE_EXHAUSTED expands_too_far"));
  EXPECT_THAT(call("/s/Write", 3000, false, "Bearer writer"),
              ElementsAre("RESOURCE_EXHAUSTED body_too_large"));
  ASSERT_TRUE(budget->TryAcquire(1900));
  EXPECT_THAT(call("/s/Write", 200, false, "Bearer writer"),
              ElementsAre("UNAVAILABLE bytes_in_flight"));
  budget->Release(1900);
  EXPECT_THAT(call("/s/Write", 1, false, "Bearer writer"), ElementsAre());
}

}  // namespace
}  // namespace flarestack::net
