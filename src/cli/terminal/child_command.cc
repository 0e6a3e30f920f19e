// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/child_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text/text.h"

namespace flarestack::cli {
namespace {

constexpr int kCannotRun = 127;

// Runs between fork and exec, so it must not allocate.
[[noreturn]] void RunChild(int gate, int report, char* const* words) {
  char go = 0;
  if (read(gate, &go, 1) != 1)
    _exit(kCannotRun);
  execvp(words[0], words);
  const int error = errno;
  if (write(report, &error, sizeof(error)) < 0)
    _exit(kCannotRun);
  _exit(kCannotRun);
}

}  // namespace

absl::StatusOr<ChildCommand> ChildCommand::Start(const std::vector<std::string>& words) {
  int gate[2];
  int report[2];
  if (pipe2(gate, O_CLOEXEC) != 0)
    return absl::UnavailableError(std::strerror(errno));
  base::Descriptor gate_out(gate[0]);
  ChildCommand child;
  child.gate_ = base::Descriptor(gate[1]);
  if (pipe2(report, O_CLOEXEC) != 0)
    return absl::UnavailableError(std::strerror(errno));
  child.report_ = base::Descriptor(report[0]);
  const base::Descriptor report_in(report[1]);
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  child.pid_ = fork();
  if (child.pid_ < 0)
    return absl::UnavailableError(std::strerror(errno));
  if (child.pid_ == 0) {
    child.gate_.Close();
    RunChild(gate_out.get(), report_in.get(), arguments.data());
  }
  return child;
}

ChildCommand::ChildCommand(ChildCommand&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      gate_(std::move(other.gate_)),
      report_(std::move(other.report_)),
      status_(other.status_) {}

ChildCommand::~ChildCommand() {
  if (pid_ <= 0 || status_.has_value())
    return;
  if (gate_.is_open())
    kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, gate_.is_open() ? 0 : WNOHANG);
}

absl::Status ChildCommand::Resume() {
  const char go = 1;
  if (write(gate_.get(), &go, 1) != 1)
    return absl::UnavailableError(std::strerror(errno));
  gate_.Close();
  // The pipe closes when exec succeeds. If exec fails, the child first writes the errno.
  int error = 0;
  ssize_t bytes = 0;
  do {
    bytes = read(report_.get(), &error, sizeof(error));
  } while (bytes < 0 && errno == EINTR);
  if (bytes <= 0)
    return absl::OkStatus();
  return error == ENOENT ? absl::NotFoundError("no such program")
                         : absl::PermissionDeniedError(std::strerror(error));
}

std::optional<int> ChildCommand::Ended() {
  if (status_.has_value())
    return status_;
  // The kernel also reports stops by the recorder's ptrace. Those are left to the recorder.
  siginfo_t info = {};
  const auto pid = static_cast<id_t>(pid_);
  if (waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid_ ||
      (info.si_code != CLD_EXITED && info.si_code != CLD_KILLED && info.si_code != CLD_DUMPED))
    return std::nullopt;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_)
    status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return status_;
}

void ChildCommand::Signal(int signal) const {
  if (pid_ > 0 && !status_.has_value())
    kill(pid_, signal);
}

}  // namespace flarestack::cli
