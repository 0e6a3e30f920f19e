// SPDX-License-Identifier: Apache-2.0
#include "net/tls/tls_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/status.h"
#include "base/text/text.h"
#include "net/grpc/grpc_client.h"
#include "net/grpc/grpc_server.h"
#include "net/http/http_client.h"
#include "net/http/http_server.h"
#include "net/testing/certificates.h"
#include "net/testing/raw_client.h"

namespace flarestack::net {
namespace {

using absl::StatusCode;
using ::testing::HasSubstr;

constexpr char kWho[] = "/test.Service/Who";

// Both servers with the same files; each returns the name of its client.
class TlsTest : public ::testing::Test {
 protected:
  void Start(bool requires_client_certificate) {
    folder_.Write("server.pem", server_.certificate_pem);
    folder_.Write("server.key", server_.key_pem);
    TlsOptions options = {.certificate_path = folder_.PathOf("server.pem"),
                          .key_path = folder_.PathOf("server.key"),
                          .on_reload_error = [this](const absl::Status&) { ++error_count_; },
                          .poll_interval = std::chrono::milliseconds(0)};
    if (requires_client_certificate)
      options.client_ca_path = folder_.Write("clients.pem", client_ca_.certificate_pem);
    auto files = TlsFiles::Load(options);
    FLARE_CHECK(files.ok(), std::string(base::Message(files.status())));

    HttpServerOptions http;
    http.routes = {{"POST", "/who", [](HttpRequest& request) {
                      return HttpResponse{.body = "<" + request.tls_client_name + ">"};
                    }}};
    http.tls = *files;
    http.limits.linger_timeout = std::chrono::milliseconds(100);
    http_ = *HttpServer::Start(std::move(http));
    GrpcServerOptions grpc;
    grpc.methods = {{kWho, [](GrpcRequest& request) {
                       return GrpcResponse{.message = "<" + request.tls_client_name + ">"};
                     }}};
    grpc.tls = *files;
    grpc_ = *GrpcServer::Start(std::move(grpc));
  }

  // Returns the body, or the code of the failure.
  std::string OverHttp(const TestCertificate& authority, const TestCertificate& own = {}) const {
    HttpClient client({.ca_pem = authority.certificate_pem,
                       .certificate_pem = own.certificate_pem,
                       .key_pem = own.key_pem});
    const auto response = client.Send(
        {.method = "POST", .url = base::StrCat("https://localhost:", http_->port(), "/who")});
    return response.ok() ? response->body
                         : std::string(absl::StatusCodeToString(response.status().code()));
  }

  std::string OverGrpc(const TestCertificate& authority, const TestCertificate& own = {}) const {
    const auto client = GrpcClient::Create({.target = base::StrCat("127.0.0.1:", grpc_->port()),
                                            .use_tls = true,
                                            .ca_pem = authority.certificate_pem,
                                            .certificate_pem = own.certificate_pem,
                                            .key_pem = own.key_pem});
    const GrpcResult result = (*client)->Call(kWho, "x");
    return result.code == StatusCode::kOk ? result.message : absl::StatusCodeToString(result.code);
  }

  const TestCertificate ca_ = MakeAuthority("authority");
  const TestCertificate client_ca_ = MakeAuthority("authority of clients");
  const TestCertificate server_ = MakeCertificate("server", ca_);
  TemporaryFolder folder_;
  std::atomic<int> error_count_ = 0;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<GrpcServer> grpc_;
};

TEST_F(TlsTest, ServesAClientThatTrustsTheAuthority) {
  Start(/*requires_client_certificate=*/false);
  EXPECT_EQ(OverHttp(ca_), "<>");
  EXPECT_EQ(OverGrpc(ca_), "<>");
}

TEST_F(TlsTest, ClientThatTrustsAnotherAuthorityFails) {
  Start(/*requires_client_certificate=*/false);
  EXPECT_EQ(OverHttp(client_ca_), "UNAUTHENTICATED");
  EXPECT_EQ(OverGrpc(client_ca_), "UNAVAILABLE");
}

TEST_F(TlsTest, RequiresAClientCertificateThatIdentifiesTheClient) {
  Start(/*requires_client_certificate=*/true);
  const TestCertificate good = MakeCertificate("agent-7", client_ca_);
  const TestCertificate bad = MakeCertificate("agent-7", ca_);
  EXPECT_EQ(OverHttp(ca_, good), "<agent-7>");
  EXPECT_EQ(OverGrpc(ca_, good), "<agent-7>");
  EXPECT_EQ(OverHttp(ca_), "UNAVAILABLE");
  EXPECT_EQ(OverGrpc(ca_), "UNAVAILABLE");
  EXPECT_EQ(OverHttp(ca_, bad), "UNAVAILABLE");
  EXPECT_EQ(OverGrpc(ca_, bad), "UNAVAILABLE");
}

TEST_F(TlsTest, UsesANewCertificateForNewConnections) {
  Start(/*requires_client_certificate=*/false);
  const TestCertificate other_ca = MakeAuthority("other authority");
  const TestCertificate renewed = MakeCertificate("server", other_ca);
  EXPECT_EQ(OverHttp(ca_), "<>");
  EXPECT_EQ(OverGrpc(ca_), "<>");
  folder_.Write("server.pem", renewed.certificate_pem);
  folder_.Write("server.key", renewed.key_pem);
  EXPECT_EQ(OverHttp(other_ca), "<>");
  EXPECT_EQ(OverGrpc(other_ca), "<>");
  EXPECT_EQ(OverHttp(ca_), "UNAUTHENTICATED");
  EXPECT_EQ(OverGrpc(ca_), "UNAVAILABLE");
  EXPECT_EQ(error_count_, 0);
}

TEST_F(TlsTest, ReportsABadNewFileOnceAndKeepsTheOldCertificate) {
  Start(/*requires_client_certificate=*/false);
  folder_.Write("server.pem", "nonsense");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(OverHttp(ca_), "<>");
    EXPECT_EQ(OverGrpc(ca_), "<>");
  }
  EXPECT_EQ(error_count_, 1);
  // A half-finished renewal: the key belongs to another certificate.
  folder_.Write("server.pem", MakeCertificate("server", ca_).certificate_pem);
  EXPECT_EQ(OverHttp(ca_), "<>");
  EXPECT_EQ(OverGrpc(ca_), "<>");
  EXPECT_EQ(error_count_, 2);
}

TEST_F(TlsTest, ClosesAClientThatDoesNotSpeakTls) {
  Start(/*requires_client_certificate=*/false);
  Exchange(http_->port(), "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(OverHttp(ca_), "<>");
}

TEST_F(TlsTest, InitialFilesMustBeValid) {
  const std::string good = folder_.Write("good.pem", server_.certificate_pem);
  const std::string key = folder_.Write("good.key", server_.key_pem);
  const std::string other_key = folder_.Write("other.key", ca_.key_pem);
  const std::string bad = folder_.Write("bad", "nonsense");
  const auto error_of = [](const TlsOptions& options) {
    return std::string(base::Message(TlsFiles::Load(options).status()));
  };
  EXPECT_EQ(error_of({.certificate_path = good, .key_path = key}), "");
  EXPECT_THAT(error_of({.certificate_path = bad, .key_path = key}), HasSubstr(bad));
  EXPECT_THAT(error_of({.certificate_path = good, .key_path = bad}), HasSubstr(bad));
  EXPECT_THAT(error_of({.certificate_path = good, .key_path = other_key}),
              HasSubstr("does not belong"));
  EXPECT_THAT(error_of({.certificate_path = good, .key_path = "/none"}), HasSubstr("/none"));
  EXPECT_THAT(error_of({.certificate_path = good, .key_path = key, .client_ca_path = bad}),
              HasSubstr(bad));
}

}  // namespace
}  // namespace flarestack::net
