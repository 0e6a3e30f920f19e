// SPDX-License-Identifier: Apache-2.0
//
// A host with many short-lived processes, and `flarestack agent` on it, measured from outside: the
// memory is that of the whole process, with symbols and sending.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "process_cost.h"

namespace flarestack::bench {

// Starts programs at this rate until it is destroyed. Every twentieth is a compiler.
class ProcessChurn {
 public:
  explicit ProcessChurn(int per_second) {
    pid_ = fork();
    if (pid_ != 0)
      return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // even if the benchmark is interrupted
    const int nothing = open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2})
      dup2(nothing, fd);
    const auto begin = std::chrono::steady_clock::now();
    for (int64_t count = 0;; ++count) {
      std::this_thread::sleep_until(begin + count * std::chrono::seconds(1) / per_second);
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      if (fork() == 0)
        RunOne(count);
    }
  }
  ~ProcessChurn() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  ProcessChurn(const ProcessChurn&) = delete;
  ProcessChurn& operator=(const ProcessChurn&) = delete;

 private:
  [[noreturn]] static void RunOne(int64_t count) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (count % 20 == 0)
      execlp("gcc", "gcc", "-x", "c", "-S", "-o", "/dev/null", "/dev/null", nullptr);
    execlp("true", "true", nullptr);
    _exit(127);
  }

  pid_t pid_ = -1;
};

inline uint16_t FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  uint16_t port = 0;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), bytes) == 0 &&
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &bytes) == 0)
    port = ntohs(address.sin_port);
  close(fd);
  return port;
}

class AgentProcess {
 public:
  // Uses its own symbol cache below `directory`.
  AgentProcess(const std::string& program, const std::string& directory,
               const std::string& otlp_grpc, const std::vector<std::string>& flags = {})
      : metrics_port_(FreePort()) {
    std::vector<std::string> words = {program,      "agent",
                                      "--endpoint", "grpc://" + otlp_grpc,
                                      "--metrics",  "127.0.0.1:" + std::to_string(metrics_port_)};
    words.insert(words.end(), flags.begin(), flags.end());
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      setenv("XDG_CACHE_HOME", (directory + "/cache").c_str(), 1);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
  }
  ~AgentProcess() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;

  pid_t pid() const { return pid_; }

  // The sum over all labels; 0 if the metric is missing or the request fails.
  double Metric(const std::string& name) const {
    std::istringstream lines(Get());
    double sum = 0;
    for (std::string line; std::getline(lines, line);) {
      const bool is_it = line.rfind("flarestack_agent_" + name, 0) == 0;
      const char next = is_it ? line[17 + name.size()] : '\0';
      if (next == ' ' || next == '{')
        sum += std::atof(line.c_str() + line.rfind(' '));
    }
    return sum;
  }

  // The peak resident memory seen within this time.
  uint64_t ResidentBytes(std::chrono::seconds time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    uint64_t most = 0;
    while (std::chrono::steady_clock::now() < end) {
      most = std::max(most, ResidentBytesOf(pid_));
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return most;
  }

 private:
  std::string Get() const {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(metrics_port_);
    std::string response;
    constexpr std::string_view kRequest =
        "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
        write(fd, kRequest.data(), kRequest.size()) == static_cast<ssize_t>(kRequest.size())) {
      char buffer[4096];
      for (ssize_t count = 0; (count = read(fd, buffer, sizeof(buffer))) > 0;)
        response.append(buffer, static_cast<size_t>(count));
    }
    close(fd);
    return response;
  }

  uint16_t metrics_port_;
  pid_t pid_ = -1;
};

}  // namespace flarestack::bench
