// SPDX-License-Identifier: Apache-2.0
//
// A pseudo terminal as the screen and keyboard of the program under test.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::testing {

class PseudoTerminal {
 public:
  // Returns false if there are no pseudo terminals, as in a root without /dev/pts.
  bool Open() {
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0)
      return false;
    name_ = ptsname(master_);
    // Keep it open: if no process has it open, reading from the other end fails.
    slave_ = open(name_.c_str(), O_RDWR | O_NOCTTY);
    return slave_ >= 0;
  }

  enum class Shows { kOutput, kOutputAndErrors };

  // Runs the program under test with these arguments.
  void Start(std::vector<std::string> words, Shows shows = Shows::kOutput) {
    words.insert(words.begin(), FLARESTACK_PROGRAM);
    std::vector<char*> arguments;
    for (std::string& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    winsize size = {.ws_row = 12, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    child_ = fork();
    if (child_ == 0) {
      setsid();
      const int terminal = open(name_.c_str(), O_RDWR);
      ioctl(terminal, TIOCSWINSZ, &size);
      dup2(terminal, STDIN_FILENO);
      dup2(terminal, STDOUT_FILENO);
      if (shows == Shows::kOutputAndErrors)
        dup2(terminal, STDERR_FILENO);
      setenv("TERM", "xterm", 1);
      setenv("NO_COLOR", "1", 1);
      unsetenv("COLUMNS");
      execv(FLARESTACK_PROGRAM, arguments.data());
      _exit(127);
    }
  }
  PseudoTerminal() = default;
  ~PseudoTerminal() {
    close(slave_);
    close(master_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  void Type(std::string_view keys) {
    EXPECT_EQ(write(master_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  // Reads until the text appears. Returns false if the program ends, or prints nothing for a long
  // time.
  bool WaitFor(std::string_view text) {
    constexpr int kLongMs = 60'000;
    while (seen_.find(text) == std::string::npos) {
      pollfd input = {.fd = master_, .events = POLLIN, .revents = 0};
      char bytes[4096];
      if (poll(&input, 1, kLongMs) <= 0)
        return false;
      const ssize_t count = read(master_, bytes, sizeof(bytes));
      if (count <= 0)
        return false;
      seen_.append(bytes, static_cast<size_t>(count));
      all_.append(bytes, static_cast<size_t>(count));
    }
    seen_.erase(0, seen_.find(text) + text.size());
    return true;
  }

  // Everything read so far.
  const std::string& all() const { return all_; }

  // Whether input is echoed.
  bool HasEcho() const {
    termios settings = {};
    return tcgetattr(slave_, &settings) == 0 && (settings.c_lflag & ECHO) != 0;
  }

  // -1 if a signal ended it.
  int ExitCode() {
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  int master_ = -1;
  int slave_ = -1;
  std::string name_;
  pid_t child_ = -1;
  std::string seen_;
  std::string all_;
};

}  // namespace flarestack::testing
