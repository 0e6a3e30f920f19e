// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/testing/node_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "record/unwind/testing/thread_registers.h"

namespace flarestack::record::runtime::testing {

std::string FindNode() {
  if (const char* named = getenv("FLARESTACK_TEST_NODE"); named != nullptr)
    return named;
  const char* path = getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string candidate = rest.substr(0, end) + "/node";
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
    rest.erase(0, end + 1);
  }
  return "";
}

NodeProcess::NodeProcess(const std::string& node, const std::vector<std::string>& arguments) {
  int output[2];
  int input[2];
  if (pipe2(output, O_CLOEXEC) != 0)
    return;
  if (pipe2(input, O_CLOEXEC) != 0) {
    close(output[0]);
    close(output[1]);
    return;
  }
  std::vector<char*> argv = {const_cast<char*>(node.c_str())};
  for (const std::string& argument : arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(output[1], STDOUT_FILENO);
    dup2(input[0], STDIN_FILENO);
    execv(node.c_str(), argv.data());
    _exit(127);
  }
  close(output[1]);
  close(input[0]);
  output_ = output[0];
  input_ = input[1];
}

NodeProcess::~NodeProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (output_ >= 0)
    close(output_);
  if (input_ >= 0)
    close(input_);
}

std::optional<std::string> NodeProcess::ReadLine() {
  for (;;) {
    if (const size_t end = buffered_.find('\n'); end != std::string::npos) {
      std::string line = buffered_.substr(0, end);
      buffered_.erase(0, end + 1);
      return line;
    }
    char bytes[4096];
    const ssize_t got = read(output_, bytes, sizeof(bytes));
    if (got <= 0)
      return std::nullopt;
    buffered_.append(bytes, static_cast<size_t>(got));
  }
}

std::vector<std::string> NodeProcess::ReadUntil(const std::string& last) {
  std::vector<std::string> lines;
  for (auto line = ReadLine(); line.has_value() && *line != last; line = ReadLine())
    lines.push_back(*line);
  return lines;
}

std::vector<pid_t> NodeProcess::Threads() const {
  std::vector<pid_t> threads;
  const std::string path = "/proc/" + std::to_string(pid_) + "/task";
  DIR* const directory = opendir(path.c_str());
  if (directory == nullptr)
    return threads;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] != '.')
      threads.push_back(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
  }
  closedir(directory);
  std::sort(threads.begin(), threads.end());
  return threads;
}

TracedThread::TracedThread(pid_t tid) : tid_(tid) {
  is_traced_ = ptrace(PTRACE_SEIZE, tid_, nullptr, nullptr) == 0;
}

TracedThread::~TracedThread() {
  if (!is_traced_)
    return;
  Stop();
  ptrace(PTRACE_DETACH, tid_, nullptr, nullptr);
}

std::optional<bpf::unwind_registers> TracedThread::Stop() {
  int status = 0;
  if (!is_traced_ || ptrace(PTRACE_INTERRUPT, tid_, nullptr, nullptr) != 0)
    return std::nullopt;
  if (waitpid(tid_, &status, __WALL) != tid_ || !WIFSTOPPED(status)) {
    is_traced_ = false;
    return std::nullopt;
  }
  return unwind::testing::ReadRegisters(tid_);
}

bool TracedThread::Continue() {
  return is_traced_ && ptrace(PTRACE_CONT, tid_, nullptr, nullptr) == 0;
}

}  // namespace flarestack::record::runtime::testing
