// SPDX-License-Identifier: Apache-2.0
//
// One test per file of tests/golden/server: a question to a server, and the whole answer.
//
//   # What this shows.
//   query services                        a command line, run with --server
//   ----
//   ...                                   standard output and error, then the exit code if it is
//   not 0
//
//   GET /api/v1/services                  or a request, with the status, and the body without
//   `meta`
//
// All share one server with the same data. The address of the server is written as http://SERVER.
// FLARESTACK_UPDATE_GOLDEN=1 writes the actual answers to the files.
#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "golden_file.h"
#include "otlp_messages.h"
#include "run_program.h"
#include "server_process.h"
#include "store/testing/event_text.h"

namespace flarestack::testing {
namespace {

using store::testing::TextProfile;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kTime = 1'772'366'400 * kSecond;  // 2026-03-01T12:00:00Z

std::vector<TextProfile> Shop() {
  const auto at = [](uint64_t second) { return base::StrCat(" @", kTime + second * kSecond, " "); };
  return {{.service = "cart",
           .time = kTime,
           .lines = {"main;serve;parse" + at(1) + "30 thread=io",
                     "main;serve;render" + at(2) + "50", "main;gc" + at(70) + "20 thread=gc"}},
          {.service = "shop", .time = kTime, .lines = {"main;serve;parse" + at(3) + "5"}},
          {.service = "cart",
           .type = "alloc_space",
           .unit = "bytes",
           .time = kTime,
           .lines = {"main;serve;make 4096"}}};
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

class ServerGoldenTest : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    server_ = std::make_unique<ServerProcess>(folder_->File("data"));
    ASSERT_TRUE(server_->is_running()) << server_->log();
    const std::string request = ToProtobuf(store::testing::MakeBatch(Shop()));
    ASSERT_EQ(Send({.url = server_->otlp_http() + "/v1/profiles", .body = request}).status, 200);
  }

  static void TearDownTestSuite() {
    server_ = nullptr;
    folder_ = nullptr;
  }

  static std::string AnswerTo(const std::string& question) {
    std::istringstream in(question);
    std::vector<std::string> words(std::istream_iterator<std::string>(in), {});
    if (words.front() == "GET") {
      const Answer answer = Get(server_->http() + words.at(1));
      auto json = nlohmann::ordered_json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
      json.erase("meta");  // it has times
      json.erase("request_id");
      return base::StrCat(answer.status, "\n", json.dump(2), "\n");
    }
    words.insert(words.end(), {"--server", server_->http()});
    const RunResult run = Flarestack(words);
    return base::StrCat(run.out, run.error,
                        run.exit_code == 0 ? "" : base::StrCat("exit ", run.exit_code, "\n"));
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
  static inline std::unique_ptr<ServerProcess> server_;
};

TEST_P(ServerGoldenTest, AnswerMatchesTheFile) {
  const GoldenFile golden = ReadGoldenFile("server", GetParam());
  std::string question;
  std::istringstream lines(golden.head);
  while (std::getline(lines, question) && question.starts_with("#")) {
  }
  ASSERT_FALSE(question.empty()) << golden.path << " has no question";
  ExpectGolden(golden, Replaced(AnswerTo(question), server_->http(), "http://SERVER"));
}

INSTANTIATE_TEST_SUITE_P(Files, ServerGoldenTest, ::testing::ValuesIn(GoldenNames("server")),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace flarestack::testing
