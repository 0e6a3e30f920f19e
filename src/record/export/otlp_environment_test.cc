// SPDX-License-Identifier: Apache-2.0
#include "record/export/otlp_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/status.h"
#include "model/signal.h"

namespace flarestack::record::exporting {
namespace {

using ::testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

// Each file contains its own name.
absl::StatusOr<std::string> ReadName(const std::string& path) {
  if (path == "none.pem")
    return absl::NotFoundError("cannot open none.pem");
  return "PEM of " + path;
}

absl::StatusOr<OtlpTarget> FindIn(const Variables& variables, const OtlpTargetFlags& flags = {},
                                  model::Signal signal = model::Signal::kProfiles) {
  const auto environment = [&](const std::string& name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional(at->second);
  };
  return FindOtlpTarget(flags, environment, ReadName, signal);
}

std::string WhyNot(const Variables& variables, const OtlpTargetFlags& flags = {}) {
  const auto target = FindIn(variables, flags);
  EXPECT_EQ(target.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(base::Message(target.status()));
}

TEST(OtlpEnvironmentTest, ReadsEndpointsFromFlagAndVariables) {
  struct Case {
    Variables variables;
    std::string flag;
    const char* url;
  };
  const Case cases[] = {
      {{}, "", "http://127.0.0.1:4318/v1development/profiles"},
      {{}, "http://h:1", "http://h:1/v1development/profiles"},
      {{}, "http://h:1/", "http://h:1/v1development/profiles"},
      {{}, "https://h/mine", "https://h/mine"},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:1"}}, "", "http://h:1/v1development/profiles"},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:1/base"}},
       "",
       "http://h:1/base/v1development/profiles"},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:1/base/"}},
       "",
       "http://h:1/base/v1development/profiles"},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:1/base"},
        {"OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://p:1/mine"}},
       "",
       "http://p:1/mine"},
      {{{"OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://p:1/mine"}}, "http://h/x", "http://h/x"},
      {{{"OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://p:1"}}, "", "http://p:1/"},
      {{{"OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://p:1/"}}, "", "http://p:1/"},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", ""}}, "", "http://127.0.0.1:4318/v1development/profiles"},
  };
  for (const Case& test : cases) {
    const auto target = FindIn(test.variables, {.endpoint = test.flag});
    ASSERT_TRUE(target.ok());
    EXPECT_EQ(target->url, test.url);
    EXPECT_EQ(target->protocol, OtlpProtocol::kHttpProtobuf);
  }
}

TEST(OtlpEnvironmentTest, ReadsProtocolsFromFlagVariableAndScheme) {
  const auto by_scheme = FindIn({}, {.endpoint = "grpcs://h:4317"});
  ASSERT_TRUE(by_scheme.ok());
  EXPECT_EQ(by_scheme->protocol, OtlpProtocol::kGrpc);
  EXPECT_EQ(by_scheme->address, "h:4317");
  EXPECT_TRUE(by_scheme->use_tls);

  const auto by_variable = FindIn({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}});
  ASSERT_TRUE(by_variable.ok());
  EXPECT_EQ(by_variable->protocol, OtlpProtocol::kGrpc);
  EXPECT_EQ(by_variable->address, "127.0.0.1:4317");
  EXPECT_FALSE(by_variable->use_tls);

  const auto with_path = FindIn({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                                 {"OTEL_EXPORTER_OTLP_ENDPOINT", "https://h:4317/ignored"}});
  ASSERT_TRUE(with_path.ok());
  EXPECT_EQ(with_path->address, "h:4317");
  EXPECT_TRUE(with_path->use_tls);

  const auto by_flag = FindIn({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                               {"OTEL_EXPORTER_OTLP_PROFILES_PROTOCOL", "http/protobuf"}},
                              {.protocol = "http/json"});
  ASSERT_TRUE(by_flag.ok());
  EXPECT_EQ(by_flag->protocol, OtlpProtocol::kHttpJson);

  EXPECT_THAT(base::Message(FindIn({{"OTEL_EXPORTER_OTLP_PROTOCOL", "smoke"}}).status()),
              HasSubstr("OTEL_EXPORTER_OTLP_PROTOCOL: \"smoke\""));
  EXPECT_FALSE(FindIn({}, {.endpoint = "grpc://h:1", .protocol = "http/json"}).ok());
  EXPECT_FALSE(FindIn({}, {.endpoint = "tcp://h:1"}).ok());
}

TEST(OtlpEnvironmentTest, ReadsHeadersFromFlagAndVariable) {
  const auto target =
      FindIn({{"OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc%3D, x-a = 1 ,,X-B=b%2Cc"}},
             {.headers = {"x-a=2"}});
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->headers.Get("Authorization"), "Bearer abc=");
  EXPECT_EQ(target->headers.Get("x-a"), "2");
  EXPECT_EQ(target->headers.Get("x-b"), "b,c");
  EXPECT_EQ(target->headers.size(), 3u);

  const auto special = FindIn(
      {{"OTEL_EXPORTER_OTLP_HEADERS", "a=1"}, {"OTEL_EXPORTER_OTLP_PROFILES_HEADERS", "b=2"}});
  ASSERT_TRUE(special.ok());
  EXPECT_EQ(special->headers.Get("a"), "");
  EXPECT_EQ(special->headers.Get("b"), "2");

  const absl::Status bad = FindIn({{"OTEL_EXPORTER_OTLP_HEADERS", "secret-without-name"}}).status();
  EXPECT_THAT(base::Message(bad), HasSubstr("OTEL_EXPORTER_OTLP_HEADERS"));
  EXPECT_THAT(base::Message(bad), ::testing::Not(HasSubstr("secret")));
}

TEST(OtlpEnvironmentTest, EndpointWithoutASchemeUsesEncryptedGrpcUnlessInsecure) {
  const Variables bare = {{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                          {"OTEL_EXPORTER_OTLP_ENDPOINT", "h:4317"}};
  const auto secure = FindIn(bare);
  ASSERT_TRUE(secure.ok());
  EXPECT_EQ(secure->address, "h:4317");
  EXPECT_TRUE(secure->use_tls);

  Variables variables = bare;
  variables["OTEL_EXPORTER_OTLP_INSECURE"] = "TRUE";
  EXPECT_FALSE(FindIn(variables)->use_tls);
  variables["OTEL_EXPORTER_OTLP_PROFILES_INSECURE"] = "false";
  EXPECT_TRUE(FindIn(variables)->use_tls);
  variables["OTEL_EXPORTER_OTLP_PROFILES_INSECURE"] = "maybe";
  EXPECT_THAT(WhyNot(variables), HasSubstr("OTEL_EXPORTER_OTLP_PROFILES_INSECURE: \"maybe\""));

  // The scheme is decisive.
  variables = {{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
               {"OTEL_EXPORTER_OTLP_ENDPOINT", "https://h:4317"},
               {"OTEL_EXPORTER_OTLP_INSECURE", "true"}};
  EXPECT_TRUE(FindIn(variables)->use_tls);
  EXPECT_THAT(WhyNot({{"OTEL_EXPORTER_OTLP_ENDPOINT", "h:4318"}}),
              HasSubstr("must start with http"));
}

TEST(OtlpEnvironmentTest, CompressionDefaultsToGzip) {
  EXPECT_EQ(FindIn({})->compression, OtlpCompression::kGzip);
  EXPECT_EQ(FindIn({{"OTEL_EXPORTER_OTLP_COMPRESSION", "none"}})->compression,
            OtlpCompression::kNone);
  EXPECT_EQ(FindIn({{"OTEL_EXPORTER_OTLP_COMPRESSION", "none"},
                    {"OTEL_EXPORTER_OTLP_PROFILES_COMPRESSION", "zstd"}})
                ->compression,
            OtlpCompression::kZstd);
  EXPECT_EQ(
      FindIn({{"OTEL_EXPORTER_OTLP_COMPRESSION", "none"}}, {.compression = "gzip"})->compression,
      OtlpCompression::kGzip);
  EXPECT_THAT(WhyNot({{"OTEL_EXPORTER_OTLP_COMPRESSION", "lz4"}}),
              HasSubstr("OTEL_EXPORTER_OTLP_COMPRESSION: \"lz4\""));
  EXPECT_THAT(WhyNot({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}}, {.compression = "zstd"}),
              HasSubstr("--compression: \"zstd\" is supported only over HTTP"));
}

TEST(OtlpEnvironmentTest, TimeoutIsInMilliseconds) {
  EXPECT_EQ(FindIn({})->timeout, std::chrono::seconds(30));
  EXPECT_EQ(FindIn({{"OTEL_EXPORTER_OTLP_TIMEOUT", "1500"}})->timeout,
            std::chrono::milliseconds(1500));
  EXPECT_EQ(FindIn({{"OTEL_EXPORTER_OTLP_TIMEOUT", "1500"},
                    {"OTEL_EXPORTER_OTLP_PROFILES_TIMEOUT", "20"}})
                ->timeout,
            std::chrono::milliseconds(20));
  for (const char* const wrong : {"0", "-1", "10s", " 5", "3600001", "99999999999999999999"}) {
    EXPECT_THAT(WhyNot({{"OTEL_EXPORTER_OTLP_TIMEOUT", wrong}}),
                HasSubstr("is not a number of milliseconds from 1 to 3600000"));
  }
}

TEST(OtlpEnvironmentTest, ReadsCertificates) {
  const auto target = FindIn({{"OTEL_EXPORTER_OTLP_CERTIFICATE", "ca.pem"},
                              {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "general.pem"},
                              {"OTEL_EXPORTER_OTLP_PROFILES_CLIENT_CERTIFICATE", "client.pem"},
                              {"OTEL_EXPORTER_OTLP_CLIENT_KEY", "key.pem"}});
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->ca_pem, "PEM of ca.pem");
  EXPECT_EQ(target->certificate_pem, "PEM of client.pem");
  EXPECT_EQ(target->key_pem, "PEM of key.pem");
  EXPECT_EQ(FindIn({{"OTEL_EXPORTER_OTLP_CERTIFICATE", "ca.pem"}}, {.ca_path = "my.pem"})->ca_pem,
            "PEM of my.pem");

  EXPECT_THAT(WhyNot({{"OTEL_EXPORTER_OTLP_CLIENT_KEY", "key.pem"}}),
              HasSubstr("OTEL_EXPORTER_OTLP_CLIENT_KEY: a client key needs"));
  EXPECT_THAT(WhyNot({{"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "client.pem"}}),
              HasSubstr("needs its key"));
  const absl::Status missing = FindIn({{"OTEL_EXPORTER_OTLP_CERTIFICATE", "none.pem"}}).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(base::Message(missing), HasSubstr("OTEL_EXPORTER_OTLP_CERTIFICATE: cannot open"));
}

TEST(OtlpEnvironmentTest, DerivesTheMetricsEndpointFromTheProfilesEndpoint) {
  const auto url = [](const Variables& variables, const std::string& flag) {
    const auto target = FindIn(variables, {.endpoint = flag}, model::Signal::kMetrics);
    return target.ok() ? target->url : std::string(base::Message(target.status()));
  };
  EXPECT_EQ(url({}, ""), "http://127.0.0.1:4318/v1/metrics");
  EXPECT_EQ(url({}, "http://h:1"), "http://h:1/v1/metrics");
  EXPECT_EQ(url({}, "http://h:1/otlp/v1development/profiles"), "http://h:1/otlp/v1/metrics");
  EXPECT_EQ(url({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:1/base"}}, ""),
            "http://h:1/base/v1/metrics");
  EXPECT_EQ(url({{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://m:1/mine"},
                 {"OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://p:1/mine"}},
                ""),
            "http://m:1/mine");
  EXPECT_THAT(url({}, "https://h/mine"), HasSubstr("--endpoint"));
  const auto grpc = FindIn({}, {.endpoint = "grpc://h:4317"}, model::Signal::kMetrics);
  ASSERT_TRUE(grpc.ok());
  EXPECT_EQ(grpc->signal, model::Signal::kMetrics);
  EXPECT_EQ(grpc->address, "h:4317");
}

}  // namespace
}  // namespace flarestack::record::exporting
