// SPDX-License-Identifier: Apache-2.0
//
// Uses fake servers that do what a real one rarely does.
#include "symbol/sources/debuginfod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <thread>

#include "base/file/file.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "elf/testing/compiled_program.h"
#include "net/testing/raw_server.h"
#include "symbol/testing/module_file.h"

namespace flarestack::symbol {
namespace {

namespace fs = std::filesystem;
using absl::StatusCode;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeModuleFile;

const std::string kId = base::HexEncode(testing::ModuleParts().gnu_id_bytes);

// Serves the given files and records each request.
class FakeServer {
 public:
  std::string url() const { return base::StrCat("http://127.0.0.1:", server_.port()); }
  void Serve(const std::string& id, std::string_view kind, std::string file) {
    const base::MutexLock lock(mutex_);
    files_[base::StrCat("/buildid/", id, "/", kind)] = std::move(file);
  }
  void RespondToOthersWith(int status) {
    const base::MutexLock lock(mutex_);
    missing_status_ = status;
  }
  std::vector<std::string> requests() {
    const base::MutexLock lock(mutex_);
    return requests_;
  }

 private:
  void Answer(std::string_view head, const net::RawServer::Send& send) {
    const size_t path_at = head.find(' ') + 1;
    const std::string path(head.substr(path_at, head.find(' ', path_at) - path_at));
    const base::MutexLock lock(mutex_);
    requests_.push_back(path);
    const auto at = files_.find(path);
    const std::string body = at != files_.end() ? at->second : "sorry";
    send(base::StrCat("HTTP/1.1 ", at != files_.end() ? 200 : missing_status_,
                      " Words\r\nContent-Length: ", body.size(), "\r\nConnection: close\r\n\r\n",
                      body));
  }

  base::Mutex mutex_;
  std::map<std::string, std::string> files_ FLARE_GUARDED_BY(mutex_);
  std::vector<std::string> requests_ FLARE_GUARDED_BY(mutex_);
  int missing_status_ FLARE_GUARDED_BY(mutex_) = 404;
  net::RawServer server_{
      [this](std::string_view head, const net::RawServer::Send& send) { Answer(head, send); },
      net::RawServer::Afterwards::kClose};
};

class DebuginfodTest : public ::testing::Test {
 protected:
  DebuginfodOptions Options(std::vector<std::string> urls) {
    return {.urls = std::move(urls),
            .directory = folder_.Path("downloads"),
            .limits = {},
            .circuit = {},
            .now = [this] { return now_; }};
  }
  static Module ModuleWith(const std::string& gnu_id) {
    return {.ids = {{IdKind::kGnu, gnu_id}}, .path = "/usr/bin/cart"};
  }
  bool HasDownloads() const {
    return fs::exists(folder_.Path("downloads")) && !fs::is_empty(folder_.Path("downloads"));
  }

  elf::testing::WorkFolder folder_;
  std::chrono::steady_clock::time_point now_{};
  FakeServer server_;
  FakeServer other_server_;
};

TEST(DebuginfodUrlsTest, AreSeparatedBySpacesAndMixedWithPolicies) {
  EXPECT_THAT(ParseDebuginfodUrls(" ima:enforcing https://a.example/  http://b.example:8002 "
                                  "ima:ignore\tfile:///c\n"),
              ElementsAre("https://a.example", "http://b.example:8002"));
  EXPECT_THAT(ParseDebuginfodUrls(""), ElementsAre());
}

TEST_F(DebuginfodTest, FetchesOnlyADebugFileWithSymbols) {
  const std::string file = MakeModuleFile({.has_code = false, .has_symbols = true});
  server_.Serve(kId, "debuginfo", file);
  Debuginfod debuginfod(Options({server_.url()}));
  auto files = debuginfod.Find(ModuleWith(kId));
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(*base::ReadFile(files->debug_file, 1 << 20), file);
  EXPECT_EQ(files->executable, "");
  EXPECT_THAT(files->origin, HasSubstr(server_.url()));
  EXPECT_THAT(server_.requests(), ElementsAre("/buildid/" + kId + "/debuginfo"));
  EXPECT_TRUE(HasDownloads());
  files->keep.reset();
  EXPECT_FALSE(HasDownloads());
}

TEST_F(DebuginfodTest, FetchesTheExecutableIfTheDebugFileIsNotEnough) {
  server_.Serve(kId, "debuginfo", MakeModuleFile({.has_code = false}));
  other_server_.Serve(kId, "executable", MakeModuleFile({}));
  Debuginfod debuginfod(Options({server_.url(), other_server_.url()}));
  const auto files = debuginfod.Find(ModuleWith(kId));
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_NE(files->debug_file, "");
  EXPECT_NE(files->executable, "");
}

TEST_F(DebuginfodTest, TriesServersInOrder) {
  server_.Serve(kId, "debuginfo", MakeModuleFile({.has_symbols = true}));
  other_server_.Serve(kId, "debuginfo", MakeModuleFile({.has_symbols = true}));
  Debuginfod debuginfod(Options({other_server_.url(), server_.url()}));
  EXPECT_TRUE(debuginfod.Find(ModuleWith(kId)).ok());
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(DebuginfodTest, ReportsTheErrorOfEachServerIfNoneHasTheFile) {
  Debuginfod debuginfod(Options({server_.url(), other_server_.url()}));
  const auto files = debuginfod.Find(ModuleWith(kId));
  EXPECT_EQ(files.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(base::Message(files.status()), HasSubstr(server_.url()));
  EXPECT_THAT(base::Message(files.status()), HasSubstr(other_server_.url()));
  EXPECT_THAT(base::Message(files.status()), HasSubstr("responded 404"));
  EXPECT_FALSE(HasDownloads());
}

TEST_F(DebuginfodTest, RequestsOnlyGnuIds) {
  Debuginfod debuginfod(Options({server_.url()}));
  for (const FileId& id : {FileId{IdKind::kHtlHash, kId}, FileId{IdKind::kGo, "aB/cD"},
                           FileId{IdKind::kGnu, "../../x"}, FileId{IdKind::kGnu, "0123456789abcd"},
                           FileId{IdKind::kGnu, "nohexnohexnohexx"}}) {
    EXPECT_EQ(debuginfod.Find({.ids = {id}, .path = ""}).status().code(), StatusCode::kNotFound);
  }
  EXPECT_TRUE(server_.requests().empty());
  EXPECT_EQ(Debuginfod(Options({})).Find(ModuleWith(kId)).status().code(), StatusCode::kNotFound);
}

TEST_F(DebuginfodTest, DiscardsAFileOtherThanTheRequestedOne) {
  server_.Serve(kId, "debuginfo",
                MakeModuleFile({.gnu_id_bytes = "anotherbuildid..", .has_symbols = true}));
  server_.Serve(kId, "executable", "<html>Sign in to the network</html>");
  Debuginfod debuginfod(Options({server_.url()}));
  const auto files = debuginfod.Find(ModuleWith(kId));
  EXPECT_EQ(files.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(base::Message(files.status()), HasSubstr("returned a different file"));
  EXPECT_FALSE(HasDownloads());
}

TEST_F(DebuginfodTest, FetchesTheDwzFileById) {
  const std::string shared_id(20, 's');
  server_.Serve(kId, "debuginfo",
                MakeModuleFile({.has_symbols = true, .supplementary_id_bytes = shared_id}));
  Debuginfod debuginfod(Options({server_.url(), other_server_.url()}));
  const auto without = debuginfod.Find(ModuleWith(kId));
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ(without->supplementary, "");
  EXPECT_THAT(without->origin, HasSubstr("without the file that dwz made"));
  const std::string shared = MakeModuleFile({.gnu_id_bytes = shared_id, .has_code = false});
  other_server_.Serve(base::HexEncode(shared_id), "debuginfo", shared);
  const auto with = debuginfod.Find(ModuleWith(kId));
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_EQ(*base::ReadFile(with->supplementary, 1 << 20), shared);
}

TEST_F(DebuginfodTest, DiscardsAFileOverTheLimit) {
  const std::string file = MakeModuleFile({.has_symbols = true});
  server_.Serve(kId, "debuginfo", file);
  DebuginfodOptions options = Options({server_.url()});
  options.limits.bytes_max = file.size() - 1;
  Debuginfod debuginfod(options);
  EXPECT_EQ(debuginfod.Find(ModuleWith(kId)).status().code(), StatusCode::kResourceExhausted);
  EXPECT_FALSE(HasDownloads());
}

TEST_F(DebuginfodTest, SkipsAServerThatFails) {
  server_.RespondToOthersWith(500);
  other_server_.Serve(kId, "executable", MakeModuleFile({}));
  Debuginfod debuginfod(Options({"http://127.0.0.1:1", server_.url(), other_server_.url()}));
  EXPECT_TRUE(debuginfod.Find(ModuleWith(kId)).ok());
  EXPECT_EQ(server_.requests().size(), 1u);  // not for the executable
  const auto other = debuginfod.Find(ModuleWith(std::string(40, 'a')));
  EXPECT_EQ(other.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(base::Message(other.status()), HasSubstr("responded 404"));
}

TEST_F(DebuginfodTest, PausesAServerThatFailsRepeatedly) {
  server_.RespondToOthersWith(503);
  Debuginfod debuginfod(Options({server_.url()}));
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(debuginfod.Find(ModuleWith(kId)).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(server_.requests().size(), 5u);
  now_ += seconds(60);
  for (int i = 0; i < 2; ++i)
    EXPECT_FALSE(debuginfod.Find(ModuleWith(kId)).ok());
  EXPECT_EQ(server_.requests().size(), 6u);
  now_ += seconds(60);
  server_.RespondToOthersWith(404);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(debuginfod.Find(ModuleWith(kId)).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(server_.requests().size(), 6u + 16u);  // debuginfo and executable each time
}

TEST_F(DebuginfodTest, ResponseBetweenFailuresResetsTheFailureCount) {
  Debuginfod debuginfod(Options({server_.url()}));
  for (int i = 0; i < 4; ++i) {
    server_.RespondToOthersWith(500);
    for (int j = 0; j < 4; ++j)
      EXPECT_FALSE(debuginfod.Find(ModuleWith(kId)).ok());
    server_.RespondToOthersWith(404);
    EXPECT_EQ(debuginfod.Find(ModuleWith(kId)).status().code(), StatusCode::kNotFound);
  }
}

TEST_F(DebuginfodTest, AbandonsASlowServerAndTriesTheNext) {
  net::RawServer slow(
      [](std::string_view, const net::RawServer::Send& send) {
        send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n\x7f");
      },
      net::RawServer::Afterwards::kHold);
  other_server_.Serve(kId, "debuginfo", MakeModuleFile({.has_symbols = true}));
  DebuginfodOptions options =
      Options({base::StrCat("http://127.0.0.1:", slow.port()), other_server_.url()});
  options.limits.total_timeout = std::chrono::milliseconds(500);
  Debuginfod debuginfod(options);
  const auto files = debuginfod.Find(ModuleWith(kId));
  EXPECT_TRUE(files.ok()) << files.status();
  options.urls.pop_back();
  EXPECT_EQ(Debuginfod(options).Find(ModuleWith(kId)).status().code(), StatusCode::kUnavailable);
}

TEST_F(DebuginfodTest, DownloadEndsWhenTheProgramStops) {
  std::atomic<Debuginfod*> running = nullptr;
  net::RawServer slow(
      [&running](std::string_view, const net::RawServer::Send& send) {
        send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n\x7f");
        running.load()->Cancel();
      },
      net::RawServer::Afterwards::kHold);
  Debuginfod debuginfod(
      Options({base::StrCat("http://127.0.0.1:", slow.port()), other_server_.url()}));
  running = &debuginfod;
  EXPECT_EQ(debuginfod.Find(ModuleWith(kId)).status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(other_server_.requests().empty());
  EXPECT_FALSE(HasDownloads());
}

TEST_F(DebuginfodTest, RemovesLeftoversOfAKilledProcess) {
  fs::create_directories(folder_.Path("downloads/find-abcdef"));
  folder_.Write("downloads/find-abcdef/1", "half");
  const Debuginfod debuginfod(Options({}));
  EXPECT_FALSE(HasDownloads());
}

}  // namespace
}  // namespace flarestack::symbol
