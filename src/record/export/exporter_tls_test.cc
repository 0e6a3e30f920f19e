// SPDX-License-Identifier: Apache-2.0
//
// From the exporter environment variables to a server that requires client certificates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>

#include "base/testing/eventually.h"
#include "base/text/text.h"
#include "net/grpc/grpc_server.h"
#include "net/http/http_server.h"
#include "net/testing/certificates.h"
#include "net/tls/tls_files.h"
#include "record/export/exporter.h"
#include "record/export/otlp_environment.h"

namespace flarestack::record::exporting {
namespace {

constexpr char kMethod[] =
    "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";

class ExporterTlsTest : public ::testing::Test {
 protected:
  ExporterTlsTest() {
    folder_.Write("ca.pem", ca_.certificate_pem);
    folder_.Write("client.pem", client_.certificate_pem);
    folder_.Write("client.key", client_.key_pem);
    folder_.Write("server.pem", server_.certificate_pem);
    folder_.Write("server.key", server_.key_pem);
    variables_ = {
        {"OTEL_EXPORTER_OTLP_CERTIFICATE", folder_.PathOf("ca.pem")},
        {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", folder_.PathOf("client.pem")},
        {"OTEL_EXPORTER_OTLP_CLIENT_KEY", folder_.PathOf("client.key")},
    };
  }

  std::shared_ptr<net::TlsFiles> ServerFiles() {
    auto files = net::TlsFiles::Load({.certificate_path = folder_.PathOf("server.pem"),
                                      .key_path = folder_.PathOf("server.key"),
                                      .client_ca_path = folder_.PathOf("ca.pem")});
    EXPECT_TRUE(files.ok()) << files.status();
    return *files;
  }
  std::unique_ptr<net::HttpServer> ServeHttp() {
    net::HttpServerOptions options;
    options.tls = ServerFiles();
    options.routes = {{"POST", "/v1development/profiles", [this](net::HttpRequest& request) {
                         came_.set_value(request.tls_client_name);
                         return net::HttpResponse{.status = 200};
                       }}};
    auto server = net::HttpServer::Start(std::move(options));
    EXPECT_TRUE(server.ok()) << server.status();
    return *std::move(server);
  }
  std::unique_ptr<net::GrpcServer> ServeGrpc() {
    net::GrpcServerOptions options;
    options.tls = ServerFiles();
    options.methods = {{kMethod, [this](net::GrpcRequest& request) {
                          came_.set_value(request.tls_client_name);
                          return net::GrpcResponse{};
                        }}};
    auto server = net::GrpcServer::Start(std::move(options));
    EXPECT_TRUE(server.ok()) << server.status();
    return *std::move(server);
  }

  std::unique_ptr<Exporter> Start(const std::string& endpoint) {
    const auto environment = [this](const std::string& name) -> std::optional<std::string> {
      const auto at = variables_.find(name);
      return at == variables_.end() ? std::nullopt : std::optional(at->second);
    };
    auto target = FindOtlpTarget({.endpoint = endpoint}, environment);
    EXPECT_TRUE(target.ok()) << target.status();
    ExporterOptions options = {.target = *std::move(target)};
    options.back_off = {.first = std::chrono::milliseconds(1),
                        .longest = std::chrono::milliseconds(2)};
    auto exporter = Exporter::Start(std::move(options));
    EXPECT_TRUE(exporter.ok()) << exporter.status();
    return *std::move(exporter);
  }

  const net::TestCertificate ca_ = net::MakeAuthority("authority");
  const net::TestCertificate client_ = net::MakeCertificate("agent-7", ca_);
  const net::TestCertificate server_ = net::MakeCertificate("server", ca_);
  net::TemporaryFolder folder_;
  std::map<std::string, std::string> variables_;
  std::promise<std::string> came_;  // name of the client
};

TEST_F(ExporterTlsTest, PresentsItsCertificateOverHttp) {
  const auto server = ServeHttp();
  const auto exporter = Start(base::StrCat("https://localhost:", server->port()));
  exporter->Offer("a");
  EXPECT_EQ(came_.get_future().get(), "agent-7");
  exporter->Stop(std::chrono::minutes(1));
  EXPECT_EQ(exporter->stats().sent, 1u);
}

TEST_F(ExporterTlsTest, PresentsItsCertificateOverGrpc) {
  const auto server = ServeGrpc();
  const auto exporter = Start(base::StrCat("grpcs://localhost:", server->port()));
  exporter->Offer("a");
  EXPECT_EQ(came_.get_future().get(), "agent-7");
  exporter->Stop(std::chrono::minutes(1));
  EXPECT_EQ(exporter->stats().sent, 1u);
}

// An expired certificate will be renewed; data recorded until then is worth keeping.
TEST_F(ExporterTlsTest, RetriesAnUntrustedServer) {
  const auto server = ServeHttp();
  variables_.erase("OTEL_EXPORTER_OTLP_CERTIFICATE");
  const auto exporter = Start(base::StrCat("https://localhost:", server->port()));
  exporter->Offer("a");
  ASSERT_TRUE(base::testing::Eventually([&] { return exporter->stats().retries >= 3; }));
  const ExporterStats stats = exporter->stats();
  EXPECT_EQ(stats.rejected, 0u);
  EXPECT_EQ(stats.spool.requests, 1u);
  EXPECT_NE(stats.last_error, "");
}

}  // namespace
}  // namespace flarestack::record::exporting
