// SPDX-License-Identifier: Apache-2.0
#include "cli/otlp_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/status.h"

namespace flarestack::cli {
namespace {

using ::testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

absl::StatusOr<OtlpTarget> FindIn(const Variables& variables, const OtlpTargetFlags& flags = {}) {
  return FindOtlpTarget(flags, [&](const std::string& name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional(at->second);
  });
}

TEST(OtlpTargetTest, EndpointsByFlagAndVariable) {
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
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", ""}}, "", "http://127.0.0.1:4318/v1development/profiles"},
  };
  for (const Case& test : cases) {
    const auto target = FindIn(test.variables, {.endpoint = test.flag});
    ASSERT_TRUE(target.ok());
    EXPECT_EQ(target->url, test.url);
    EXPECT_EQ(target->protocol, OtlpProtocol::kHttpProtobuf);
  }
}

TEST(OtlpTargetTest, ProtocolsByFlagVariableAndScheme) {
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

TEST(OtlpTargetTest, HeadersByFlagAndVariable) {
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

}  // namespace
}  // namespace flarestack::cli
