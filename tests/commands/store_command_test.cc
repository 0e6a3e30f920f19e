// SPDX-License-Identifier: Apache-2.0
//
// `flarestack store` on the data of a stopped server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "nlohmann/json.hpp"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr char kThreeLines[] = "flarestack: [^\n]+\n  [^\n]+\n  try: [^\n]+\n";

class StoreCommandTest : public ::testing::Test {
 protected:
  RunResult OnData(const std::vector<std::string>& words) const {
    std::vector<std::string> all = {"store"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--data-dir", data_});
    return Flarestack(all);
  }

  // Two servers one after another: the second writes the log of the first into tables.
  void SetUp() override {
    const std::string file = folder_.Write("a.folded", "main;work 7\nmain 2\n");
    ServerProcess first(data_);
    ASSERT_TRUE(first.is_running()) << first.log();
    ASSERT_EQ(Flarestack({"send", "--now", "--endpoint", first.otlp_http(), file}).exit_code, 0);
    in_use_ = OnData({"verify"});
    EXPECT_EQ(first.Stop(), 0);
    ServerProcess second(data_);
    EXPECT_EQ(second.Stop(), 0);
  }

  TemporaryFolder folder_;
  const std::string data_ = folder_.File("data");
  RunResult in_use_;
};

TEST_F(StoreCommandTest, CountsAndVerifies) {
  EXPECT_THAT(OnData({"stats"}).out,
              MatchesRegex("on disk +[^\n]+\nseries +1\nstacks +2\nsamples +20[^\n]+ to 20[^\n]+\n"
                           "limits +disk none, memory 256 MiB [^\n]+\n"
                           "\nfamily +entries[^\n]+\n(.|\n)*\nsamples +1 (.|\n)*"));
  const auto stats = nlohmann::json::parse(OnData({"stats", "--format", "json"}).out);
  EXPECT_EQ(stats["schema"], "flarestack.store.stats/1");
  EXPECT_EQ(stats["stacks"], 2);
  EXPECT_EQ(stats["memory_bytes_max"], 256 << 20);
  EXPECT_EQ(stats["families"].size(), 16u);

  const RunResult sound = OnData({"verify"});
  EXPECT_EQ(sound.exit_code, 0) << sound.out << sound.error;
  EXPECT_THAT(sound.out, MatchesRegex("[0-9]+ files and [0-9]+ entries read: 0 errors\n"));
}

TEST_F(StoreCommandTest, ReportsADamagedFile) {
  std::string table;
  for (const auto& entry : fs::directory_iterator(data_)) {
    if (entry.path().extension() == ".sst")
      table = entry.path().string();
  }
  ASSERT_NE(table, "");
  {
    std::fstream file(table, std::ios::in | std::ios::out | std::ios::binary);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(0);
    file.put(byte);
  }
  const RunResult text = OnData({"verify"});
  EXPECT_EQ(text.exit_code, 4) << text.error;
  EXPECT_THAT(text.out, HasSubstr(table));
  const RunResult run = OnData({"verify", "--format", "json"});
  EXPECT_EQ(run.exit_code, 4);
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["schema"], "flarestack.store.verify/1");
  EXPECT_EQ(json["faults"][0]["place"], table);
  const RunResult backup = OnData({"backup", folder_.File("backup")});
  EXPECT_EQ(backup.exit_code, 1);
  EXPECT_THAT(backup.error, HasSubstr("store verify"));
}

TEST_F(StoreCommandTest, BacksUpAndRestores) {
  const std::string backup = folder_.File("backup");
  EXPECT_EQ(OnData({"backup", backup}).exit_code, 0);
  const RunResult again = OnData({"backup", backup});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.error, MatchesRegex(kThreeLines));
  EXPECT_THAT(OnData({"restore", backup}).error, HasSubstr("is not empty"));
  fs::remove_all(data_);
  const RunResult restored = OnData({"restore", backup});
  EXPECT_EQ(restored.exit_code, 0) << restored.error;
  const ServerProcess server(data_);
  EXPECT_EQ(Get(server.http() + "/api/v1/export?format=folded").body, "main 2\nmain;work 7\n");
}

TEST_F(StoreCommandTest, DeletesAService) {
  {
    const std::string file = folder_.Write("b.folded", "main;secret 5\n");
    ServerProcess server(data_);
    ASSERT_EQ(
        Flarestack({"send", "--now", "--service", "cart", "--endpoint", server.otlp_http(), file})
            .exit_code,
        0);
    EXPECT_EQ(OnData({"delete", "--service", "cart"}).exit_code, 1) << "in use";
    EXPECT_EQ(server.Stop(), 0);
  }
  const RunResult counted = OnData({"delete", "--service", "cart", "--dry-run"});
  EXPECT_EQ(counted.exit_code, 0) << counted.error;
  EXPECT_THAT(counted.out,
              MatchesRegex("would delete\nprofiles  1 series in 1 chunks\nspans     0\n"
                           "logs      0 records\nmetrics   0 points of 0 series\n"));
  const auto json =
      nlohmann::json::parse(OnData({"delete", "--service", "cart", "--format", "json"}).out);
  EXPECT_EQ(json["schema"], "flarestack.store.delete/1");
  EXPECT_EQ(json["chunks"], 1);
  EXPECT_EQ(OnData({"verify"}).exit_code, 0);
  const RunResult everything = OnData({"delete"});
  EXPECT_EQ(everything.exit_code, 2);
  EXPECT_THAT(everything.error, MatchesRegex(kThreeLines));
  EXPECT_EQ(OnData({"delete", "--tenant", "blue"}).exit_code, 1);
  EXPECT_EQ(OnData({"delete", "--from", "frobnicate"}).exit_code, 2);
  const ServerProcess server(data_);
  EXPECT_EQ(Get(server.http() + "/api/v1/export?format=folded").body, "main 2\nmain;work 7\n");
  EXPECT_THAT(Get(server.http() + "/api/v1/services").body, ::testing::Not(HasSubstr("cart")));
}

TEST_F(StoreCommandTest, DeletesATenant) {
  const std::string data = folder_.File("tenants");
  const auto on_data = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"store", "delete", "--data-dir", data});
    return Flarestack(words);
  };
  {
    ServerProcess server(data, {"--tenants"});
    ASSERT_TRUE(server.is_running()) << server.log();
    for (const char* const tenant : {"blue", "green"}) {
      ASSERT_EQ(Flarestack({"send", "--now", "--header", std::string("x-scope-orgid=") + tenant,
                            "--endpoint", server.otlp_http(), folder_.File("a.folded")})
                    .exit_code,
                0);
    }
    EXPECT_EQ(on_data({"--tenant", "blue"}).exit_code, 1) << "in use";
    EXPECT_EQ(server.Stop(), 0);
  }
  EXPECT_THAT(on_data({"--service", "x"}).error, HasSubstr("it has the tenants blue, green"));
  EXPECT_EQ(on_data({"--tenant", "red"}).exit_code, 1);
  EXPECT_EQ(on_data({"--tenant", "blue", "--dry-run"}).out,
            "would delete all data of the tenant blue\n");
  EXPECT_EQ(on_data({"--tenant", "blue"}).out, "deleted all data of the tenant blue\n");
  const std::string left = Flarestack({"store", "stats", "--data-dir", data}).out;
  EXPECT_THAT(left, HasSubstr("green"));
  EXPECT_THAT(left, ::testing::Not(HasSubstr("blue")));
}

TEST_F(StoreCommandTest, RejectsMissingAndUsedDirectories) {
  EXPECT_EQ(in_use_.exit_code, 1);
  EXPECT_THAT(in_use_.error, HasSubstr("another process uses the data directory"));
  const RunResult none = Flarestack({"store", "stats", "--data-dir", folder_.File("none")});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.error, MatchesRegex(kThreeLines));
  EXPECT_FALSE(fs::exists(folder_.File("none")));
  EXPECT_EQ(Flarestack({"store"}).exit_code, 2);
  EXPECT_EQ(Flarestack({"store", "verify"}).exit_code, 2);
}

}  // namespace
}  // namespace flarestack::testing
