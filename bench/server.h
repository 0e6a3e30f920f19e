// SPDX-License-Identifier: Apache-2.0
//
// `flarestack serve` as a child, measured from outside: CPU time and peak memory belong to the
// whole process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "process_cost.h"

namespace flarestack::bench {

class Server {
 public:
  // Returns once it accepts requests; check is_running().
  Server(const std::string& program, const std::string& directory,
         const std::vector<std::string>& flags) {
    std::vector<std::string> words = {program,       "serve",       "--data-dir",  directory,
                                      "--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0",
                                      "--http",      "127.0.0.1:0"};
    words.insert(words.end(), flags.begin(), flags.end());
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int ends[2];
    if (pipe(ends) != 0)
      return;
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(ends[1]);
    output_ = ends[0];
    std::string log;
    char buffer[4096];
    while (log.find("send to it:") == std::string::npos) {
      const ssize_t count = read(output_, buffer, sizeof(buffer));
      if (count <= 0) {
        Stop();
        return;
      }
      log.append(buffer, static_cast<size_t>(count));
    }
    otlp_grpc_ = AfterLabel(log, "OTLP/gRPC");
  }
  ~Server() { Stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool is_running() const { return pid_ > 0; }
  const std::string& otlp_grpc() const { return otlp_grpc_; }

  // User and system time of all its threads so far.
  double CpuSeconds() const { return CpuSecondsOf(pid_); }

  double PeakBytes() const {
    const std::string status = ReadProc(pid_, "status");
    return std::atof(status.c_str() + status.find("VmHWM:") + 6) * 1024;
  }

  void Stop() {
    if (pid_ <= 0)
      return;
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
    close(output_);
    pid_ = -1;
  }

 private:
  static std::string AfterLabel(const std::string& log, std::string_view label) {
    const size_t begin = log.find_first_not_of(' ', log.find(label) + label.size());
    return log.substr(begin, log.find('\n', begin) - begin);
  }

  pid_t pid_ = -1;
  int output_ = -1;
  std::string otlp_grpc_;
};

}  // namespace flarestack::bench
