// SPDX-License-Identifier: Apache-2.0
#include "symbol/testing/debuginfod_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "base/text/text.h"
#include "net/http/http_client.h"

extern char** environ;

namespace flarestack::symbol::testing {
namespace {

// A port that is currently free. Another process may take it before the server does.
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

}  // namespace

DebuginfodProcess::DebuginfodProcess(std::string served_folder, const std::string& log_path)
    : port_(FreePort()) {
  const std::string port = std::to_string(port_);
  // Unset DEBUGINFOD_URLS, or it would query other servers in turn.
  std::vector<std::string> words = {
      "env", "-u", "DEBUGINFOD_URLS", "debuginfod", "-F", "-p",
      port,  "-d", ":memory:",        "-t",         "0",  std::move(served_folder)};
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_path.c_str(), O_WRONLY | O_CREAT,
                                   0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  if (posix_spawnp(&pid_, "env", &actions, nullptr, arguments.data(), environ) != 0)
    pid_ = -1;
  posix_spawn_file_actions_destroy(&actions);
}

void DebuginfodProcess::Stop() {
  if (pid_ <= 0)
    return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

bool DebuginfodProcess::AwaitScanned(int file_count) {
  constexpr int kAttemptsMax = 1200;
  const std::string wanted =
      base::StrCat("scanned_files_total{source=\"file\"} ", file_count, "\n");
  net::HttpClient client{net::HttpClientOptions{}};
  for (int i = 0; i < kAttemptsMax && pid_ > 0; ++i) {
    if (waitpid(pid_, nullptr, WNOHANG) != 0) {
      pid_ = -1;  // it has already exited
      return false;
    }
    const auto metrics = client.Send({.url = url() + "/metrics"});
    if (metrics.ok() && metrics->body.find(wanted) != std::string::npos)
      return true;
    poll(nullptr, 0, 50);
  }
  return false;
}

std::string DebuginfodProcess::url() const { return base::StrCat("http://127.0.0.1:", port_); }

}  // namespace flarestack::symbol::testing
