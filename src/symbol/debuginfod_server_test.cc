// SPDX-License-Identifier: Apache-2.0
//
// The whole way against the real debuginfod of elfutils: a program is stripped, its debug file is
// given to the server, and the symbolizer finds names and lines.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/mapped_file.h"
#include "base/status.h"
#include "elf/build_id.h"
#include "elf/testing/compiled_program.h"
#include "net/http_client.h"
#include "symbol/debuginfod.h"
#include "symbol/symbolizer.h"
#include "symbol/table_builder.h"

extern char** environ;

namespace flarestack::symbol {
namespace {

namespace fs = std::filesystem;
using elf::testing::LineOf;
using elf::testing::MarkedSource;
using elf::testing::WorkFolder;

// One that nobody listens on now. Somebody may be quicker than the server, which then fails.
uint16_t FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t address_bytes = sizeof address;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &address_bytes);
  close(fd);
  return ntohs(address.sin_port);
}

// A debuginfod over one folder, as long as the object lives.
class ServerProcess {
 public:
  ServerProcess(const WorkFolder& work, const std::string& served) : port_(FreePort()) {
    const std::string port = std::to_string(port_);
    const std::string log = work.Path("debuginfod.log");
    // It would ask other servers in its turn.
    std::vector<std::string> words = {"env", "-u", "DEBUGINFOD_URLS", "debuginfod", "-F", "-p",
                                      port,  "-d", ":memory:",        "-t",         "0",  served};
    std::vector<char*> arguments;
    for (std::string& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT,
                                     0644);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    if (posix_spawnp(&pid_, "env", &actions, nullptr, arguments.data(), environ) != 0)
      pid_ = -1;
    posix_spawn_file_actions_destroy(&actions);
  }
  ~ServerProcess() { Stop(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  void Stop() {
    if (pid_ <= 0)
      return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  // Until its own numbers say that the files are known; false when it does not come to that.
  bool AwaitScanned(int file_count) {
    constexpr int kAsks = 1200;
    const std::string wanted =
        base::StrCat("scanned_files_total{source=\"file\"} ", file_count, "\n");
    net::HttpClient client{net::HttpClientOptions{}};
    for (int i = 0; i < kAsks && pid_ > 0; ++i) {
      if (waitpid(pid_, nullptr, WNOHANG) != 0) {
        pid_ = -1;  // it has ended by itself
        return false;
      }
      const auto metrics = client.Send({.url = url() + "/metrics"});
      if (metrics.ok() && metrics->body.find(wanted) != std::string::npos)
        return true;
      poll(nullptr, 0, 50);
    }
    return false;
  }

  std::string url() const { return base::StrCat("http://127.0.0.1:", port_); }

 private:
  uint16_t port_;
  pid_t pid_ = -1;
};

absl::StatusOr<std::string> MakeTable(const SymbolFiles& files) {
  const auto map = [](const std::string& path) {
    auto mapped = path.empty() ? base::MappedFile() : base::MappedFile::Open(path);
    return mapped.ok() ? *std::move(mapped) : base::MappedFile();
  };
  const base::MappedFile executable = map(files.executable);
  const base::MappedFile debug_file = map(files.debug_file);
  FLARE_ASSIGN(BuiltTable built,
               BuildTable({.executable = executable.bytes(), .debug_file = debug_file.bytes()}));
  return std::move(built.bytes);
}

class DebuginfodServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!elf::testing::HasProgram("debuginfod"))
      GTEST_SKIP() << "no debuginfod here";
    work_.Write("marked.c", MarkedSource());
    if (!work_.Run("mkdir served && gcc -O2 -g -Wl,--build-id marked.c -o whole && "
                   "objcopy --only-keep-debug whole served/program.debug && "
                   "objcopy --strip-all whole served/program && "
                   "gcc -O2 -s -Wl,--build-id marked.c -o served/bare"))
      GTEST_SKIP() << "cannot be compiled here";
    for (int i = 0; i < 3 && server_ == nullptr; ++i) {
      server_ = std::make_unique<ServerProcess>(work_, work_.Path("served"));
      if (!server_->AwaitScanned(3))
        server_.reset();
    }
    ASSERT_NE(server_, nullptr) << work_.Read("debuginfod.log");
  }

  Module ModuleOfFile(std::string_view name) const {
    const std::string bytes = work_.Read(name);
    const auto file = elf::ElfFile::Parse(bytes);
    return {.ids = {{IdKind::kGnu, file.ok() ? elf::GnuBuildId(*file) : ""}}, .path = "program"};
  }

  DebuginfodOptions Options() const {
    return {.urls = {server_->url()},
            .directory = work_.Path("downloads"),
            .limits = {},
            .circuit = {},
            .now = nullptr};
  }

  std::unique_ptr<Symbolizer> NewSymbolizer() const {
    SymbolizerOptions options;
    options.sources.push_back(std::make_unique<Debuginfod>(Options()));
    options.make_table = MakeTable;
    options.cache.directory = work_.Path("cache");
    return std::make_unique<Symbolizer>(std::move(options));
  }

  // Whether the table knows the line that was inlined twice.
  static bool KnowsMarkedLine(const SymbolTable& table) {
    bool is_known = false;
    table.VisitAll([&](const CodeAt& code) {
      is_known = is_known || (code.frames().size() == 3 && code.frames()[0].function == "Inner" &&
                              code.frames()[0].line == LineOf(MarkedSource(), "inner stores"));
    });
    return is_known;
  }

  WorkFolder work_;
  std::unique_ptr<ServerProcess> server_;
};

TEST_F(DebuginfodServerTest, NamesAndLinesComeColdAndStayWhenTheServerIsDown) {
  const Module module = ModuleOfFile("whole");
  {
    const auto symbolizer = NewSymbolizer();
    std::vector<Attempt> attempts;
    const auto cold = symbolizer->Find(module, &attempts);
    ASSERT_TRUE(cold.ok()) << cold.status();
    EXPECT_TRUE(KnowsMarkedLine(**cold));
    ASSERT_EQ(attempts.size(), 1u);
    EXPECT_TRUE(attempts[0].is_found);
    EXPECT_TRUE(fs::is_empty(work_.Path("downloads")));
    EXPECT_NE(symbolizer->Ready(module.Key()), nullptr);
  }
  server_->Stop();
  const auto symbolizer = NewSymbolizer();
  const auto warm = symbolizer->Ready(module.Key());
  ASSERT_NE(warm, nullptr);
  EXPECT_TRUE(KnowsMarkedLine(*warm));
  EXPECT_EQ(symbolizer->Find(ModuleOfFile("served/bare"), nullptr).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(DebuginfodServerTest, AProgramWithoutDebugFileIsFetchedItself) {
  Debuginfod debuginfod(Options());
  const auto files = debuginfod.Find(ModuleOfFile("served/bare"));
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->debug_file, "");
  EXPECT_EQ(*base::ReadFile(files->executable, 1 << 24), work_.Read("served/bare"));
}

TEST_F(DebuginfodServerTest, WhatItDoesNotKnowIsNotFound) {
  Debuginfod debuginfod(Options());
  const auto files = debuginfod.Find({.ids = {{IdKind::kGnu, std::string(40, 'e')}}, .path = ""});
  EXPECT_EQ(files.status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flarestack::symbol
