// SPDX-License-Identifier: Apache-2.0
#include "running_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <utility>

namespace flarestack::testing {

RunningProgram::RunningProgram(std::vector<std::string> words,
                               const std::function<void()>& prepare) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe(ends) != 0)
    std::abort();
  pid_ = fork();
  if (pid_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    if (prepare)
      prepare();
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  output_ = ends[0];
}

RunningProgram::~RunningProgram() {
  if (pid_ > 0)
    End(SIGKILL);
  CloseOutput();
}

RunningProgram::RunningProgram(RunningProgram&& other) noexcept { *this = std::move(other); }

RunningProgram& RunningProgram::operator=(RunningProgram&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(output_, other.output_);
  std::swap(printed_, other.printed_);
  return *this;
}

bool RunningProgram::ReadUntil(std::string_view text) {
  while (printed_.find(text) == std::string::npos) {
    if (!ReadSome())
      return false;
  }
  return true;
}

void RunningProgram::CloseOutput() {
  if (output_ >= 0)
    close(std::exchange(output_, -1));
}

int RunningProgram::End(int signal) {
  if (pid_ <= 0)
    return -1;  // kill(-1) would signal every process
  kill(pid_, signal);
  return Wait();
}

int RunningProgram::Wait() {
  while (ReadSome())
    continue;
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool RunningProgram::ReadSome() {
  char buffer[4096];
  const ssize_t count = read(output_, buffer, sizeof(buffer));
  if (count > 0)
    printed_.append(buffer, static_cast<size_t>(count));
  return count > 0;
}

}  // namespace flarestack::testing
