// SPDX-License-Identifier: Apache-2.0
//
// Reports on a server match those on the file that was sent to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "store/testing/event_text.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;

// JSON from a server has a link, JSON from a file does not.
std::string WithoutLink(const std::string& text) {
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object())
    return text;
  json.erase("link");
  return json.dump();
}

// The text after "link: ".
std::string LinkIn(const RunResult& run) {
  const size_t at = run.error.find("link: ");
  return at == std::string::npos ? "" : run.error.substr(at + 6, run.error.find('\n', at) - at - 6);
}

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

TEST_F(ServerReportsTest, MatchTheReportsOfTheFile) {
  const std::vector<std::vector<std::string>> reports = {
      {"top", "-n", "0", "--format", "csv"},
      {"top", "-n", "0", "--only", "regexp", "--hide", "^runtime", "--format", "json"},
      {"top", "--by", "route", "--format", "csv"},
      {"tree", "-n", "0"},
      {"peek", "tryBacktrack"},
      {"lines", "tryBacktrack"},
      {"flame", "--once", "--width", "90"},
      {"top", "--tag", "route=.*order.*"},
  };
  for (const std::vector<std::string>& words : reports) {
    const RunResult of_server = OfServer(words);
    const RunResult of_file = OfFile(words);
    EXPECT_EQ(of_server.exit_code, of_file.exit_code) << words[0] << of_server.error;
    EXPECT_EQ(WithoutLink(of_server.out), WithoutLink(of_file.out)) << words[0];
    EXPECT_EQ(LinkIn(of_file), "");
    ASSERT_THAT(LinkIn(of_server), HasSubstr(server_.http() + "/explore?v=1&")) << words[0];
    // The link replaces the flags, because it contains the same filters.
    std::vector<std::string> of_link_words;
    for (size_t i = 0; i < words.size(); ++i) {
      const bool is_filter = words[i] == "--only" || words[i] == "--hide" || words[i] == "--tag";
      if (is_filter)
        ++i;
      else
        of_link_words.push_back(words[i]);
    }
    of_link_words.push_back(LinkIn(of_server));
    const RunResult of_link = Flarestack(of_link_words);
    EXPECT_EQ(WithoutLink(of_link.out), WithoutLink(of_file.out)) << words[0] << of_link.error;
    EXPECT_EQ(LinkIn(of_link), LinkIn(of_server));
  }
}

TEST_F(ServerReportsTest, EndWithALinkToTheMatchingPage) {
  EXPECT_THAT(LinkIn(OfServer({"top", "--from", "1777888800000", "--to", "1777892400000"})), "")
      << "no data in this time range";
  const std::vector<std::pair<std::vector<std::string>, std::string>> expected = {
      {{"top", "--only", "a b|regexp"}, "&f=only:a+b%7Cregexp&view=table"},
      {{"top", "--by", "route"}, "&by=route"},
      {{"tree"}, "&view=tree"},
      {{"peek", "tryBacktrack"}, "&view=sandwich&sel=regexp.%28*Regexp%29.tryBacktrack"},
      {{"lines", "tryBacktrack"}, "&view=lines&sel=regexp.%28*Regexp%29.tryBacktrack"},
      {{"flame", "--once", "--search", "a|b"}, "&s=/a%7Cb/"},
  };
  for (const auto& [words, end] : expected) {
    const RunResult run = OfServer(words);
    EXPECT_EQ(run.exit_code, 0) << run.error;
    EXPECT_THAT(LinkIn(run), ::testing::MatchesRegex(".*/explore\\?v=1&type=cpu&from=[0-9]{13}"
                                                     "&to=[0-9]{13}.*"))
        << words[0];
    EXPECT_THAT(LinkIn(run), ::testing::EndsWith(end)) << words[0];
  }
  const RunResult json = OfServer({"top", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(json.out, nullptr, false)["link"], LinkIn(json));
  const RunResult untyped = Flarestack({"top", "--server", server_.http()});
  EXPECT_THAT(LinkIn(untyped), HasSubstr("&type=")) << "the link has the type of the report";
}

TEST_F(ServerReportsTest, AcceptAShortLink) {
  const std::string path = "/explore?v=1&type=cpu&f=only:regexp";
  const Answer made = Send({.url = server_.http() + "/api/v1/shortlinks",
                            .content_type = "application/json",
                            .body = nlohmann::json({{"url", path}}).dump()});
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string id = nlohmann::json::parse(made.body)["id"];
  const RunResult run =
      Flarestack({"top", "-n", "0", "--format", "csv", server_.http() + "/s/" + id});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_EQ(run.out, OfFile({"top", "-n", "0", "--format", "csv", "--only", "regexp"}).out);
  EXPECT_EQ(Flarestack({"top", server_.http() + "/s/abcdefgh"}).exit_code, 3);
}

TEST_F(ServerReportsTest, ReportWhatIsWrongWithALink) {
  const std::string explore = server_.http() + "/explore?v=1";
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"top", server_.http() + "/logs"}, "the page /logs does not show a single profile"},
      {{"top", server_.http() + "/explore?v=2"}, "the link has version 2"},
      {{"top", server_.http() + "/diff?v=1"}, "the link compares two profiles"},
      {{"top", explore + "&trace=ab"}, "it shows span profiles"},
      {{"top", explore, "--from", "now-2h"}, "--from is already set by the link"},
      {{"top", explore + "&f=only:("}, "cannot use the filter of the link"},
      {{"diff", explore}, "the link has only one side"},
      {{"diff", explore, kExample}, "one side is a file and the other is not"},
  };
  for (const auto& [words, why] : wrong) {
    const RunResult run = Flarestack(words);
    EXPECT_EQ(run.exit_code, 2) << why;
    EXPECT_THAT(run.error, HasSubstr(why));
  }
}

// The example has its samples both as counts and as CPU time, which are equivalent.
TEST_F(ServerReportsTest, ApiMatchesTheFile) {
  const auto of_file =
      nlohmann::json::parse(OfFile({"top", "-n", "0", "--format", "json"}).out, nullptr, false);
  const auto of_api = nlohmann::json::parse(
      Get(server_.http() + "/api/v1/top?type=cpu&limit=10000").body, nullptr, false);
  ASSERT_TRUE(of_file.is_object() && of_api.is_object());
  EXPECT_EQ(of_api["total"], of_file["total"]);
  ASSERT_EQ(of_api["rows"].size(), of_file["rows"].size());
  for (size_t i = 0; i < of_file["rows"].size(); ++i) {
    for (const char* key : {"function", "file", "line", "self", "total"})
      EXPECT_EQ(of_api["rows"][i][key], of_file["rows"][i][key]) << i << key;
  }
}

TEST_F(ServerReportsTest, SendWarnsAboutFilesDatedInThePast) {
  const RunResult old = Flarestack({"send", "--endpoint", server_.otlp_http(), kExample});
  EXPECT_EQ(old.exit_code, 0);
  EXPECT_THAT(old.error, HasSubstr("dated in the past"));
  EXPECT_THAT(old.error, HasSubstr("2026-03-02T08:01:00Z"));
  const RunResult moved =
      Flarestack({"send", "--now", "--endpoint", server_.otlp_http(), kExample});
  EXPECT_EQ(moved.error, "");
}

TEST_F(ServerReportsTest, ReportErrors) {
  const RunResult nothing = OfServer({"top"}, "wall");
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_THAT(nothing.error, HasSubstr("no profile matches"));
  const RunResult bad_selector = OfServer({"top", "-q", "{a="});
  EXPECT_EQ(bad_selector.exit_code, 2);
  EXPECT_THAT(bad_selector.error, HasSubstr("selector"));
  const RunResult both = OfServer({"top", "--from", "now-2h", kExample});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.error, HasSubstr("with files it sets the format"));
  const RunResult neither = Flarestack({"top"});
  EXPECT_EQ(neither.exit_code, 2);
  EXPECT_THAT(neither.error, HasSubstr("neither a file nor --server is given"));
  const std::string url = server_.http();
  server_.Stop();
  EXPECT_EQ(Flarestack({"top", "--server", url}).exit_code, 6);
}

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kNoon = 1'772'366'400 * kSecond;  // 2026-03-01T12:00:00Z

// Two versions of a service, an hour apart, as files and on a server.
class ServerDiffTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.is_running()) << server_.log();
    before_ = Add("1.4.1", kNoon, 20);
    after_ = Add("1.4.2", kNoon + 3600 * kSecond, 60);
  }

  // Each sample is one event, as sent by a profiler with timestamps.
  std::string Add(const std::string& version, uint64_t time, uint64_t parse_count) {
    store::testing::TextProfile profile = {
        .version = version, .time = time, .duration = 60 * kSecond};
    for (uint64_t i = 0; i < 100 + parse_count; ++i) {
      const char* stack = i < 100 ? "main;serve;render" : "main;serve;parse";
      profile.lines.push_back(base::StrCat(stack, " @", time + i * 1000, " 10"));
    }
    const std::string message = ToProtobuf(store::testing::MakeBatch({profile}));
    EXPECT_EQ(Send({.url = server_.otlp_http() + "/v1/profiles", .body = message}).status, 200);
    return folder_.Write(version + ".otlp", message);
  }

  RunResult OfServer(std::vector<std::string> words) const {
    words.insert(words.begin(), {"diff", "--server", server_.http()});
    return Flarestack(words);
  }

  TemporaryFolder folder_;
  ServerProcess server_{folder_.File("data"), {"--retention", "0"}};
  std::string before_;
  std::string after_;
};

TEST_F(ServerDiffTest, MatchesTheDiffOfFiles) {
  for (const char* norm : {"share", "rate", "none"}) {
    const std::vector<std::string> how = {"--norm", norm, "--format", "json", "--type", "cpu"};
    const auto with = [&](std::vector<std::string> words) {
      words.insert(words.end(), how.begin(), how.end());
      return words;
    };
    const RunResult of_files = Flarestack(with({"diff", before_, after_}));
    ASSERT_EQ(of_files.exit_code, 0) << of_files.error;
    EXPECT_THAT(of_files.out, HasSubstr(R"("samples":{"before":120,"after":160})"));
    const std::vector<std::vector<std::string>> sides = {
        {"cart@1.4.1", "cart@1.4.2", "--from", "2026-03-01T00:00:00Z"},
        {R"({service.version="1.4.1"})", R"({service.version="1.4.2"})", "-q",
         R"({service.name="cart"})", "--from", "2026-03-01T00:00:00Z"},
        {"--before-from", "2026-03-01T12:00:00Z", "--before-to", "2026-03-01T13:00:00Z", "--from",
         "2026-03-01T13:00:00Z"},
    };
    for (const std::vector<std::string>& words : sides) {
      const RunResult of_server = OfServer(with(words));
      EXPECT_EQ(of_server.exit_code, 0) << of_server.error;
      EXPECT_EQ(WithoutLink(of_server.out), WithoutLink(of_files.out)) << words[0];
      const RunResult of_link =
          Flarestack({"diff", "--norm", norm, "--format", "json", LinkIn(of_server)});
      EXPECT_EQ(of_link.exit_code, 0) << of_link.error << LinkIn(of_server);
      EXPECT_EQ(of_link.out, of_server.out) << words[0];
    }
  }
}

TEST_F(ServerDiffTest, HasTheExitCodesOfDiffAndQuery) {
  const auto all_time = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--from", "2026-03-01"});
    return OfServer(words);
  };
  EXPECT_EQ(all_time({"cart@1.4.1", "cart@1.4.2", "--fail-on", "fn:parse>+5%"}).exit_code, 4);
  const RunResult nothing = all_time({"cart@1.4.1", "cart@9"});
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_THAT(nothing.error, HasSubstr("no profile matches\n  try: widen the time range"));
  EXPECT_EQ(all_time({"{a=", "{}"}).exit_code, 2);
  const std::vector<std::pair<std::vector<std::string>, std::string>> unclear = {
      {{"cart@1.4.1", before_}, "one side is a file and the other is not"},
      {{"cart@1.4.1"}, "diff needs two profiles"},
      {{}, "both sides are the same"},
      {{before_, after_}, "with files it sets the format"},
      {{before_, after_, "--before-from", "now"}, "need --server, not files"},
      {{"cart@1", "cart@2", "--before", before_}, "cannot be combined with --server"},
  };
  for (const auto& [words, why] : unclear) {
    const RunResult run = all_time(words);
    EXPECT_EQ(run.exit_code, 2) << why;
    EXPECT_THAT(run.error, HasSubstr(why));
  }
  EXPECT_THAT(Flarestack({"diff", "cart@1", "cart@2"}).error,
              HasSubstr("cart@1 is not a file, and --server is not given"));
  server_.Stop();
  EXPECT_EQ(all_time({"cart@1.4.1", "cart@1.4.2"}).exit_code, 6);
}

TEST_F(ServerDiffTest, ComparesFlamesToo) {
  const RunResult of_files =
      Flarestack({"flame", "--once", "--width", "90", "--diff", before_, after_});
  const RunResult of_server =
      Flarestack({"flame", "--once", "--width", "90", "--diff", "--server", server_.http(),
                  "--from", "2026-03-01", "cart@1.4.1", "cart@1.4.2"});
  EXPECT_EQ(of_server.exit_code, 0) << of_server.error;
  EXPECT_EQ(of_server.out, of_files.out);
}

}  // namespace
}  // namespace flarestack::testing
