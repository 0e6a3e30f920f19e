// SPDX-License-Identifier: Apache-2.0
#include "sdk/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>
#include <vector>

namespace flarestack::sdk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Sets variables for the life of the object.
class Environment {
 public:
  using Variables = std::vector<std::pair<const char*, const char*>>;
  explicit Environment(Variables variables) : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_)
      setenv(name, value, 1);
  }
  ~Environment() {
    for (const auto& [name, value] : variables_)
      unsetenv(name);
  }

 private:
  std::vector<std::pair<const char*, const char*>> variables_;
};

TEST(ConfigTest, DefaultsAreCpuToTheLocalAgent) {
  const Config config = ConfigFromEnvironment();
  EXPECT_TRUE(config.is_enabled);
  EXPECT_TRUE(config.types.cpu);
  EXPECT_FALSE(config.types.allocations);
  EXPECT_FALSE(config.types.live_heap);
  EXPECT_EQ(config.endpoint, "http://localhost:4318/v1development/profiles");
  EXPECT_THAT(config.complaints, IsEmpty());
}

TEST(ConfigTest, ReadsTheVariablesOfOpenTelemetry) {
  const Environment environment(
      Environment::Variables{{"OTEL_SERVICE_NAME", "cart"},
                             {"OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=a%20b"},
                             {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/"},
                             {"OTEL_EXPORTER_OTLP_HEADERS", "tenant=one, key = two"},
                             {"OTEL_PROFILING_TYPES", "cpu, alloc,live"},
                             {"OTEL_PROFILING_CPU_INTERVAL", "20"}});
  const Config config = ConfigFromEnvironment();
  EXPECT_THAT(config.resource, ElementsAre(Pair("deployment.environment.name", "a b"),
                                           Pair("service.name", "cart")));
  EXPECT_EQ(config.endpoint, "http://collector:4318/v1development/profiles");
  EXPECT_THAT(config.headers, ElementsAre(Pair("tenant", "one"), Pair("key", "two")));
  EXPECT_TRUE(config.types.live_heap);
  EXPECT_EQ(config.cpu_period_ns, 20'000'000);
}

TEST(ConfigTest, TheEndpointOfProfilesIsUsedAsItIs) {
  const Environment environment(
      Environment::Variables{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://a:1"},
                             {"OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://b:2/x"}});
  EXPECT_EQ(ConfigFromEnvironment().endpoint, "http://b:2/x");
}

TEST(ConfigTest, ComplainsAboutWhatItDoesNotUnderstand) {
  const Environment environment(Environment::Variables{{"OTEL_PROFILING_TYPES", "cpu,gpu"},
                                                       {"OTEL_PROFILING_CPU_INTERVAL", "fast"},
                                                       {"OTEL_RESOURCE_ATTRIBUTES", "a=1,b"}});
  const Config config = ConfigFromEnvironment();
  EXPECT_THAT(config.complaints,
              ElementsAre("OTEL_PROFILING_TYPES=cpu,gpu: expected a list of cpu, alloc and live",
                          "OTEL_PROFILING_CPU_INTERVAL=fast: expected a number from 1 to 10000",
                          "OTEL_RESOURCE_ATTRIBUTES: expected key=value, not b"));
  EXPECT_TRUE(config.types.cpu);
  EXPECT_EQ(config.cpu_period_ns, 10'000'000);
}

TEST(ConfigTest, TheWholeSdkCanBeDisabled) {
  const Environment environment(Environment::Variables{{"OTEL_SDK_DISABLED", "true"}});
  EXPECT_FALSE(ConfigFromEnvironment().is_enabled);
}

}  // namespace
}  // namespace flarestack::sdk
