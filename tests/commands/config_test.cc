// SPDX-License-Identifier: Apache-2.0
//
// The sources of `serve` settings, as `config show` prints them and as a server uses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "nlohmann/json.hpp"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr char kThreeLines[] = "flarestack: [^\n]+\n  [^\n]+\n  try: [^\n]+\n";

// Sets an environment variable of this process and its children, for one test.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* const before = std::getenv(name_.c_str()); before != nullptr)
      before_ = before;
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() {
    if (before_.has_value())
      setenv(name_.c_str(), before_->c_str(), 1);
    else
      unsetenv(name_.c_str());
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

class ConfigTest : public ::testing::Test {
 protected:
  ConfigTest() { std::filesystem::create_directories(folder_.File("user/flarestack")); }

  RunResult Run(const std::vector<std::string>& words) const {
    return Flarestack(words, {.directory = folder_.path()});
  }

  TemporaryFolder folder_;
  Variable user_folder_{"XDG_CONFIG_HOME", folder_.File("user")};
};

TEST_F(ConfigTest, ShowsEachValueAndWhereItComesFrom) {
  folder_.Write("flarestack.yaml", "serve:\n  retention: ${DAYS:-3}d\n  http: 127.0.0.1:1111\n");
  folder_.Write("user/flarestack/flarestack.yaml",
                "serve:\n  durability: os\n  retention: 9d\n  disk-limit: 1GiB\n");
  const Variable variable("FLARESTACK_HTTP", "127.0.0.1:2222");
  const RunResult shown = Run({"config", "show"});
  EXPECT_EQ(shown.exit_code, 0) << shown.error;
  EXPECT_THAT(shown.out, ContainsRegex("retention +3d +flarestack.yaml:2\n"));
  EXPECT_THAT(shown.out, ContainsRegex("http +127.0.0.1:2222 +FLARESTACK_HTTP\n"));
  EXPECT_THAT(shown.out,
              ContainsRegex("durability +os +[^\n]+user/flarestack/flarestack.yaml:2\n"));
  EXPECT_THAT(shown.out, ContainsRegex("disk-limit +1GiB +[^\n]+flarestack.yaml:4\n"));
  EXPECT_THAT(shown.out, ContainsRegex("otlp-grpc +127.0.0.1:4317 +default\n"));
  EXPECT_THAT(shown.out, ContainsRegex("insecure +false +default\n"));

  const auto json = nlohmann::json::parse(Run({"config", "show", "--format", "json"}).out);
  EXPECT_EQ(json["schema"], "flarestack.config/1");
  EXPECT_EQ(json["settings"][0]["name"], "data-dir");
  EXPECT_EQ(json["settings"][0]["source"], "default");
}

TEST_F(ConfigTest, ExplicitFileReplacesTheOthers) {
  folder_.Write("flarestack.yaml", "serve:\n  retention: 3d\n");
  folder_.Write("mine.yaml", "serve:\n  durability: os\n");
  const RunResult shown = Run({"config", "show", "--config", "mine.yaml"});
  EXPECT_THAT(shown.out, ContainsRegex("retention +7d +default\n"));
  EXPECT_THAT(shown.out, ContainsRegex("durability +os +mine.yaml:2\n"));
  const Variable variable("FLARESTACK_CONFIG", "mine.yaml");
  EXPECT_EQ(Run({"config", "show"}).out, shown.out);
  EXPECT_EQ(Run({"config", "show", "--config", "missing.yaml"}).exit_code, 2);
}

TEST_F(ConfigTest, ReportsMistakesWithFileAndLine) {
  EXPECT_EQ(Run({"config", "validate"}).exit_code, 0);
  struct Case {
    const char* text;
    const char* says;
  };
  const Case cases[] = {
      {"serve:\n  retention: 3d\n  retetnion: 4d\n", "flarestack.yaml:3: unknown key"},
      {"server:\n  retention: 3d\n", "flarestack.yaml:1: unknown section"},
      {"serve:\n  disk-limit: much\n", "flarestack.yaml:2: "},
      {"serve:\n  durability: maybe\n", "flarestack.yaml:2: "},
      {"serve:\n  insecure: perhaps\n", "flarestack.yaml:2: "},
      {"serve:\n  retention: soon\n", "retention"},
      {"serve:\n  retention-logs: soon\n", "retention-logs"},
      {"serve:\n  max-tenants: 0\n", "flarestack.yaml:2: "},
      {"serve:\n  log-format: xml\n", "flarestack.yaml:2: "},
      {"serve:\n  http: nowhere\n", "cannot listen"},
      {"serve:\n  http: [\n", "flarestack.yaml: line "},
  };
  for (const Case& test : cases) {
    folder_.Write("flarestack.yaml", test.text);
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"config", "validate"},
                                               {"config", "validate", "flarestack.yaml"},
                                               {"config", "show"},
                                               {"serve"}}) {
      const RunResult run = Run(words);
      SCOPED_TRACE(::testing::PrintToString(words) + test.text);
      EXPECT_EQ(run.exit_code, 2);
      EXPECT_THAT(run.error, MatchesRegex(kThreeLines));
      EXPECT_THAT(run.error, HasSubstr(test.says));
    }
  }
}

TEST_F(ConfigTest, VariableDoesNotHideAMistakeInAFile) {
  folder_.Write("a.yaml", "serve:\n  disk-limit: much\n");
  const Variable variable("FLARESTACK_DISK_LIMIT", "1GiB");
  EXPECT_EQ(Run({"config", "validate", "a.yaml"}).exit_code, 2);
  EXPECT_EQ(Run({"config", "show", "--config", "a.yaml"}).exit_code, 0);
}

TEST_F(ConfigTest, ServerFollowsItsFileAndItsVariables) {
  const std::string file = folder_.Write("a.yaml", "serve:\n  max-request-bytes: 10KB\n");
  const std::string body(20'000, 'x');  // unknown fields
  {
    const ServerProcess server(folder_.File("data"), {"--config", file});
    ASSERT_TRUE(server.is_running()) << server.log();
    EXPECT_EQ(Send({.url = server.otlp_http() + "/v1/profiles", .body = body}).status, 413);
  }
  const Variable variable("FLARESTACK_MAX_REQUEST_BYTES", "1MB");
  const ServerProcess server(folder_.File("data"), {"--config", file});
  EXPECT_EQ(Send({.url = server.otlp_http() + "/v1/profiles", .body = body}).status, 200);
}

}  // namespace
}  // namespace flarestack::testing
