// SPDX-License-Identifier: Apache-2.0
//
// `flarestack open`: files in the UI of a temporary server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text/text.h"
#include "server/ui/ui_assets.h"
#include "support/pseudo_terminal.h"
#include "support/run_program.h"
#include "support/running_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

// The program with its temporary files in the test's folder, and with the test's own browser.
class OpenProcess {
 public:
  struct Settings {
    std::string temporary;
    std::string browser = {};
  };

  // Returns once all links are printed, or the program has ended.
  OpenProcess(const Settings& settings, const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {FLARESTACK_PROGRAM, "open"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    program_ = RunningProgram(std::move(words), [&] {
      setenv("TMPDIR", settings.temporary.c_str(), 1);
      for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"})
        unsetenv(variable);
      if (!settings.browser.empty())
        setenv("BROWSER", settings.browser.c_str(), 1);
    });
    program_.ReadUntil("Ctrl-C to stop");
  }

  const std::string& printed() const { return program_.printed(); }
  bool ReadUntil(std::string_view text) { return program_.ReadUntil(text); }
  int End(int signal) { return program_.End(signal); }
  int Wait() { return program_.Wait(); }

  // The text after "label:" in a line.
  std::string Link(const std::string& label) const {
    std::istringstream lines(printed());
    for (std::string line; std::getline(lines, line);) {
      const bool is_selected =
          line.starts_with(label + " ") || line.find(label + ":") != std::string::npos;
      if (const size_t link = line.find("http://"); is_selected && link != std::string::npos)
        return line.substr(link, line.find(' ', link) - link);
    }
    return "";
  }

 private:
  RunningProgram program_;
};

std::string ServerOf(const std::string& link) { return link.substr(0, link.find('/', 8)); }

std::string ValueIn(const std::string& link, const std::string& key) {
  const size_t at = link.find("&" + key + "=") + key.size() + 2;
  return link.substr(at, link.find('&', at) - at);
}

class OpenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (server::UiAssets().empty())
      GTEST_SKIP() << "built without the UI";
  }

  TemporaryFolder folder_;  // used by the program
  TemporaryFolder own_;
};

TEST_F(OpenTest, ShowsAFileUntilItIsInterrupted) {
  OpenProcess open({folder_.path()}, {Example("checkout.pb.gz")});
  EXPECT_THAT(open.printed(), HasSubstr("pprof, "));
  EXPECT_TRUE(open.ReadUntil("no display, and $BROWSER is not set")) << open.printed();
  const std::string link = open.Link("open");
  ASSERT_THAT(link, MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+/explore\\?v=1&scratch=.+"));
  EXPECT_THAT(Get(link).body, HasSubstr("<base href"));
  const std::string upload = ServerOf(link) + "/api/v1/scratch/" + ValueIn(link, "scratch");
  const auto about = nlohmann::json::parse(Get(upload).body, nullptr, false);
  ASSERT_TRUE(about.is_object());
  EXPECT_EQ(about["format"], "pprof");
  EXPECT_EQ(about["name"], "checkout.pb.gz");
  // It lives as long as the program. Other uploads always expire.
  EXPECT_EQ(about["expires"], std::to_string(UINT64_MAX));
  EXPECT_NE(folder_.Listing(), "");
  EXPECT_EQ(open.End(SIGINT), 0) << open.printed();
  EXPECT_EQ(folder_.Listing(), "");
}

// Other users of this machine can find the port, but cannot guess the id of the upload.
TEST_F(OpenTest, ServesSourceTextOnlyToPagesOfOpenedFiles) {
  own_.Write("work.c", "int work(void) {\n  return 1;\n}\n");
  OpenProcess open({folder_.path()},
                   {"--no-open", "--source-path", own_.path(), Example("checkout.pb.gz")});
  const std::string link = open.Link("open");
  const std::string source = ServerOf(link) + "/api/v1/source?file=work.c";
  EXPECT_EQ(Get(source).status, 403);
  EXPECT_EQ(Get(source + "&scratch=0123456789abcdef0123456789abcdef").status, 404);
  EXPECT_THAT(Get(source + "&scratch=" + ValueIn(link, "scratch")).body, HasSubstr("return 1;"));
}

// A heap profile has four types. pprof shows the last one by default, and so do the page and the
// reports.
TEST_F(OpenTest, HeapProfileMatchesPprof) {
  const std::string heap = own_.Write("heap.prof",
                                      "heap profile: 1: 100 [3: 900] @ heap/524288\n"
                                      "1: 100 [3: 900] @ 0x1000 0x2000\n");
  OpenProcess open({folder_.path()}, {"--no-open", heap});
  const std::string link = open.Link("open");
  const std::string api = ServerOf(link) + "/api/v1/";
  const std::string scratch = ValueIn(link, "scratch");
  const auto about = nlohmann::json::parse(Get(api + "scratch/" + scratch).body, nullptr, false);
  EXPECT_EQ(about["types"].size(), 4u) << about;
  EXPECT_EQ(about["default_type"], "inuse_space:bytes");
  const auto flame =
      nlohmann::json::parse(Get(api + "flame?scratch=" + scratch).body, nullptr, false);
  EXPECT_EQ(flame["type"], "inuse_space");
  EXPECT_EQ(flame["unit"], "bytes");
  for (const std::string& source : {heap, link}) {
    const RunResult top = Flarestack({"top", "--format", "json", source});
    EXPECT_EQ(top.exit_code, 0) << top.error;
    EXPECT_EQ(nlohmann::json::parse(top.out, nullptr, false)["sample_type"], "inuse_space")
        << source;
  }
}

TEST_F(OpenTest, ReportsAcceptItsLinks) {
  OpenProcess open({folder_.path()}, {"--no-open", Example("checkout.pb.gz")});
  EXPECT_THAT(open.printed(), Not(HasSubstr("no browser")));
  const RunResult of_link =
      Flarestack({"top", "-n", "0", "--type", "cpu", "--format", "csv", open.Link("open")});
  EXPECT_EQ(of_link.exit_code, 0) << of_link.error;
  EXPECT_EQ(of_link.out, Flarestack({"top", "-n", "0", "--type", "cpu", "--format", "csv",
                                     Example("checkout.pb.gz")})
                             .out);
}

TEST_F(OpenTest, ComparesTwoFiles) {
  const std::string before = own_.Write("before.folded", "main;a 10\nmain;b 10\n");
  const std::string after = own_.Write("after.folded", "main;a 10\nmain;b 30\n");
  OpenProcess open({folder_.path()}, {"--no-open", before, after});
  const std::string link = open.Link("compare");
  ASSERT_THAT(link, HasSubstr("/diff?v=1&scratch="));
  EXPECT_EQ("&scratch=" + ValueIn(link, "scratch"),
            open.Link("after.folded").substr(open.Link("after.folded").find("&scratch=")));
  EXPECT_THAT(open.Link("all"), HasSubstr("/open?v=1&file.001="));
  EXPECT_THAT(open.Link("all"), HasSubstr("+before.folded&file.002="));
  const RunResult diff = Flarestack({"diff", "--norm", "none", "--format", "csv", link});
  EXPECT_EQ(diff.exit_code, 0) << diff.error;
  EXPECT_THAT(diff.out, HasSubstr("b,10,30,20,"));
  EXPECT_EQ(open.End(SIGTERM), 0);
  EXPECT_EQ(folder_.Listing(), "");
}

TEST_F(OpenTest, ComparesFilesBySharedSampleType) {
  OpenProcess open({folder_.path()},
                   {"--no-open", Example("checkout.pb.gz"), Example("checkout.folded")});
  EXPECT_THAT(open.Link("compare"), HasSubstr("/diff?v=1&type=samples:count&scratch="));
  // With equal types, the link needs no type.
  OpenProcess same({folder_.path()},
                   {"--no-open", Example("checkout.pb.gz"), Example("checkout.pb.gz")});
  EXPECT_THAT(same.Link("compare"), HasSubstr("/diff?v=1&scratch="));
  EXPECT_EQ(Flarestack({"diff", same.Link("compare")}).exit_code, 0);
}

TEST_F(OpenTest, BrowserGetsTheLink) {
  // Opening a pipe for reading waits for the writer, so there is no race.
  const std::string pipe = own_.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string script = own_.Write("browser", "printf '%s' \"$1\" > " + pipe + "\n");
  OpenProcess open({folder_.path(), "/nowhere/firefox:sh " + script}, {Example("checkout.folded")});
  std::ifstream from_browser(pipe);
  std::stringstream link;
  link << from_browser.rdbuf();
  EXPECT_EQ(link.str(), open.Link("open"));
  EXPECT_EQ(open.End(SIGINT), 0);
}

TEST_F(OpenTest, ReportsAnUnreadableFileInThreeLines) {
  const std::string bad = own_.Write("bad.bin", std::string("\x01\x02\x03 nothing", 11));
  const std::string empty = own_.Write("empty.folded", "# nothing\n");
  for (const std::string& path : {bad, own_.File("missing"), empty}) {
    OpenProcess open({folder_.path()}, {"--no-open", Example("checkout.folded"), path});
    EXPECT_EQ(open.Wait(), 1) << open.printed();
    EXPECT_THAT(open.printed(), HasSubstr("cannot open " + path)) << path;
    EXPECT_EQ(folder_.Listing(), "") << path;
  }
  const RunResult nothing = Flarestack({"open"});
  EXPECT_EQ(nothing.exit_code, 2);
}

// The browser writes the URL it gets into a pipe.
TEST_F(OpenTest, ServerOpensABrowserFromATerminal) {
  PseudoTerminal terminal;
  if (!terminal.Open())
    GTEST_SKIP() << "cannot open a pseudo terminal";
  const std::string pipe = own_.File("address");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string browser =
      own_.Write("browser", base::StrCat("#!/bin/sh\nexec echo \"$1\" >", pipe, "\n"));
  ASSERT_EQ(chmod(browser.c_str(), 0700), 0);
  ASSERT_EQ(setenv("BROWSER", browser.c_str(), 1), 0);
  terminal.Start({"serve", "--data-dir", own_.File("data"), "--http", "127.0.0.1:0", "--otlp-http",
                  "127.0.0.1:0", "--otlp-grpc", "127.0.0.1:0"});
  const std::string address = ReadWhole(pipe);
  unsetenv("BROWSER");
  EXPECT_THAT(address, MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+\n"));
  EXPECT_TRUE(terminal.WaitFor("open " + address.substr(0, address.size() - 1) + " in a browser"))
      << terminal.all();
  terminal.Type("\x03");
  EXPECT_EQ(terminal.ExitCode(), 0);
}

}  // namespace
}  // namespace flarestack::testing
