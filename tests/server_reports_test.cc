// SPDX-License-Identifier: Apache-2.0
//
// The reports say the same of a server as of the file that was sent to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_program.h"
#include "server_process.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kExample[] = FLARESTACK_TESTDATA "/examples/checkout.pb.gz";

class ServerReportsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.is_running()) << server_.log();
    const RunResult sent =
        Flarestack({"send", "--now", "--endpoint", server_.otlp_http(), kExample});
    ASSERT_EQ(sent.exit_code, 0) << sent.error;
  }

  RunResult OfServer(std::vector<std::string> words, const std::string& type = "cpu") {
    words.insert(words.end(), {"--server", server_.http(), "--type", type});
    return Flarestack(words);
  }
  static RunResult OfFile(std::vector<std::string> words) {
    words.insert(words.end(), {"--type", "cpu", kExample});
    return Flarestack(words);
  }

  TemporaryFolder folder_;
  ServerProcess server_{folder_.File("data")};
};

TEST_F(ServerReportsTest, SayTheSameAsOfTheFile) {
  const std::vector<std::vector<std::string>> reports = {
      {"top", "-n", "0", "--format", "csv"},
      {"top", "-n", "0", "--only", "regexp", "--hide", "^runtime", "--format", "json"},
      {"top", "--by", "handler", "--format", "csv"},
      {"tree", "-n", "0"},
      {"peek", "tryBacktrack"},
      {"lines", "tryBacktrack"},
      {"flame", "--once", "--width", "90"},
      {"top", "--tag", "handler=.*order.*"},
  };
  for (const std::vector<std::string>& words : reports) {
    const RunResult of_server = OfServer(words);
    const RunResult of_file = OfFile(words);
    EXPECT_EQ(of_server.exit_code, of_file.exit_code) << words[0] << of_server.error;
    EXPECT_EQ(of_server.out, of_file.out) << words[0];
  }
}

TEST_F(ServerReportsTest, AreToldOfFilesThatTheLastHourDoesNotShow) {
  const RunResult old = Flarestack({"send", "--endpoint", server_.otlp_http(), kExample});
  EXPECT_EQ(old.exit_code, 0);
  EXPECT_THAT(old.error, HasSubstr("older time"));
  EXPECT_THAT(old.error, HasSubstr("2026-03-02T08:01:00Z"));
  const RunResult moved =
      Flarestack({"send", "--now", "--endpoint", server_.otlp_http(), kExample});
  EXPECT_EQ(moved.error, "");
}

TEST_F(ServerReportsTest, SaysWhatIsMissing) {
  const RunResult nothing = OfServer({"top"}, "wall");
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_THAT(nothing.error, HasSubstr("no profile matches"));
  const RunResult bad_selector = OfServer({"top", "-q", "{a="});
  EXPECT_EQ(bad_selector.exit_code, 2);
  EXPECT_THAT(bad_selector.error, HasSubstr("selector"));
  const RunResult both = OfServer({"top", "--from", "now-2h", kExample});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.error, HasSubstr("--from asks a server, and files are named"));
  const RunResult neither = Flarestack({"top"});
  EXPECT_EQ(neither.exit_code, 2);
  EXPECT_THAT(neither.error, HasSubstr("no file is named, and no server"));
  const std::string url = server_.http();
  server_.Stop();
  EXPECT_EQ(Flarestack({"top", "--server", url}).exit_code, 6);
}

}  // namespace
}  // namespace flarestack::testing
