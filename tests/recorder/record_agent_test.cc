// SPDX-License-Identifier: Apache-2.0
//
// `flarestack agent` and `flarestack serve` together: recorded data arrives, even if the server
// starts after the agent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "record/testing/recording_here.h"
#include "recording.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using record::agent::testing::WhyNoRecording;
using ::testing::HasSubstr;
using ::testing::Not;

class RecordAgentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoRecording(); !why.empty())
      GTEST_SKIP() << why;
    worker_ = Compile(folder_, {.name = "agentworker", .source = R"(
NOINLINE void Work(double seconds) { Burn(seconds); KEEP_FRAME; }
int main(void) { Work(0.3); return 0; }
)"});
  }

  // Runs an agent that records one run of the worker, and then ends the agent with this signal.
  RunResult RunAgent(const std::string& endpoint, const std::string& flags = {},
                     const std::string& signal = "TERM") const {
    return RunProgram(
        {"/bin/sh", "-c",
         base::StrCat(FLARESTACK_PROGRAM,
                      " agent --command agentworker -F 199 --interval 100ms --endpoint ", endpoint,
                      " ", flags, " & recorder=$!", UntilItRecords(), worker_, "; kill -", signal,
                      " $recorder; wait $recorder")});
  }

  static std::string Services(const ServerProcess& server) {
    return Flarestack({"query", "services", "--server", server.http()}).out;
  }

  TemporaryFolder folder_;
  std::string worker_;
};

TEST_F(RecordAgentTest, DeliversProfilesAndEndsCleanly) {
  ServerProcess server(folder_.File("data"));
  ASSERT_TRUE(server.is_running()) << server.log();
  const RunResult agent = RunAgent("grpc://" + server.otlp_grpc());
  EXPECT_EQ(agent.exit_code, 0) << agent.error;
  EXPECT_EQ(agent.signal, 0);
  EXPECT_THAT(Services(server), HasSubstr("agentworker"));
  EXPECT_THAT(Flarestack({"query", "metrics", "--server", server.http()}).out,
              HasSubstr("flarestack.agent.samples"));
  // Also over HTTP, and with the other signal.
  EXPECT_EQ(RunAgent(server.otlp_http(), "", "INT").exit_code, 0);
  EXPECT_EQ(server.Stop(), 0);
}

// Its path does not exist, as for a program in a container seen from the host.
TEST_F(RecordAgentTest, SymbolizesAProgramWhoseFileIsGone) {
  ServerProcess server(folder_.File("data"));
  ASSERT_TRUE(server.is_running()) << server.log();
  const std::string worker = Compile(folder_, {.name = "goneworker", .source = R"(
#include <unistd.h>
NOINLINE void WorkOfGone(void) { Burn(0.05); KEEP_FRAME; }
int main(int count, char** words) {
  unlink(words[0]);
  for (int i = 0; i < 1200 * count; ++i) WorkOfGone();
  return 0;
}
)"});
  // Symbols are found in the background, so the worker runs until they are there, or for a minute.
  const std::string top = base::StrCat(FLARESTACK_PROGRAM, " top --server ", server.http(),
                                       R"( -q '{service.name=~".*gone.*"}' --type cpu)");
  const RunResult run = RunProgram(
      {"/bin/sh", "-c",
       base::StrCat(FLARESTACK_PROGRAM,
                    " agent --command goneworker -F 199 --interval 100ms --endpoint grpc://",
                    server.otlp_grpc(), " & recorder=$!", UntilItRecords(), worker,
                    " & worker=$!; is_named=true; until ", top,
                    " 2>/dev/null | grep -q WorkOfGone; do kill -0 $worker || { is_named=false; "
                    "break; }; done; kill $worker; kill -TERM $recorder; wait $recorder && "
                    "$is_named")});
  EXPECT_EQ(run.exit_code, 0) << run.error;
}

// There is no cached symbol table of it, it lives only within one window, and its file is gone.
TEST_F(RecordAgentTest, SymbolizesANewShortLivedProgram) {
  ServerProcess server(folder_.File("data"));
  ASSERT_TRUE(server.is_running()) << server.log();
  const std::string worker = Compile(folder_, {.name = "shortworker", .source = R"(
#include <unistd.h>
NOINLINE void WorkOfShort(double seconds) { Burn(seconds); KEEP_FRAME; }
int main(int count, char** words) {
  unlink(words[0]);
  WorkOfShort(0.5);
  return 0;
}
)"});
  const RunResult run =
      RunProgram({"/bin/sh", "-c",
                  base::StrCat("XDG_CACHE_HOME=", folder_.File("cache"), " ", FLARESTACK_PROGRAM,
                               " agent --command shortworker -F 199 --endpoint grpc://",
                               server.otlp_grpc(), " & recorder=$!", UntilItRecords(), worker,
                               "; kill -TERM $recorder; wait $recorder")});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  const std::string path = folder_.File("short.otlp");
  const RunResult query =
      Flarestack({"query", "profile", "--server", server.http(), "--type", "samples", "-q",
                  R"({thread.name="shortworker"})", "-o", path});
  ASSERT_EQ(query.exit_code, 0) << query.error;
  Recording recording;
  recording.samples = ReadSamples(path);
  const Share share = recording.CompleteOf("shortworker");
  EXPECT_GT(share.all, 20);
  EXPECT_GE(recording.CountWith("shortworker", {"main", "WorkOfShort", "Burn"}), share.all * 9 / 10)
      << ::testing::PrintToString(recording.samples.empty() ? "" : StackText(recording.samples[0]));
}

TEST_F(RecordAgentTest, SpoolsProfilesDuringAnOutageAndSendsThemLater) {
  std::string address;
  {
    ServerProcess server(folder_.File("data"));
    ASSERT_TRUE(server.is_running()) << server.log();
    address = server.otlp_grpc();
  }
  const std::string spool = base::StrCat("--spool-dir ", folder_.File("spool"));
  const RunResult before = RunAgent("grpc://" + address, spool);
  EXPECT_EQ(before.exit_code, 0) << before.error;
  EXPECT_THAT(before.error, HasSubstr("sent 0 of "));
  ServerProcess server(folder_.File("data"), {"--otlp-grpc", address});
  ASSERT_TRUE(server.is_running()) << server.log();
  EXPECT_THAT(Services(server), Not(HasSubstr("agentworker")));
  // Another agent with the same spool folder, which records nothing itself.
  const RunResult after = RunProgram(
      {"/bin/sh", "-c",
       base::StrCat(FLARESTACK_PROGRAM, " agent --command none --interval 100ms --endpoint grpc://",
                    address, " ", spool, " & recorder=$!", UntilItRecords(),
                    "kill -TERM $recorder; wait $recorder")});
  EXPECT_EQ(after.exit_code, 0) << after.error;
  EXPECT_THAT(Services(server), HasSubstr("agentworker"));
}

TEST_F(RecordAgentTest, ReportsInvalidFlags) {
  EXPECT_EQ(Flarestack({"agent", "--interval", "1ms"}).exit_code, 2);
  EXPECT_EQ(Flarestack({"agent", "--cpu-budget", "much"}).exit_code, 2);
  EXPECT_EQ(Flarestack({"agent", "--memory-budget", "much"}).exit_code, 2);
  EXPECT_EQ(Flarestack({"agent", "--memory-budget", "1000"}).exit_code, 2);
  EXPECT_EQ(Flarestack({"agent", "--endpoint", "carrier://pigeon"}).exit_code, 2);
  EXPECT_THAT(Flarestack({"agent", "--cgroup", "no/such/group"}).error,
              HasSubstr("no such cgroup"));
}

// Server and recorder in one process: it stores its recording before it exits.
TEST_F(RecordAgentTest, UpRecordsIntoItsOwnStore) {
  const std::string data = folder_.File("data");
  const RunResult up = RunProgram(
      {"/bin/sh", "-c",
       base::StrCat(
           FLARESTACK_PROGRAM,
           " up --command agentworker -F 199 --interval 100ms "
           "--http 127.0.0.1:0 --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0 --data-dir ",
           data, " & recorder=$!", UntilItRecords(), worker_,
           "; kill -TERM $recorder; wait $recorder")});
  EXPECT_EQ(up.exit_code, 0) << up.error;
  const ServerProcess server(data);
  ASSERT_TRUE(server.is_running()) << server.log();
  EXPECT_THAT(Services(server), HasSubstr("agentworker"));
}

}  // namespace
}  // namespace flarestack::testing
