// SPDX-License-Identifier: Apache-2.0
//
// `flame` on a real terminal: a pseudo terminal is its screen and keyboard.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "run_program.h"

namespace flarestack::testing {
namespace {

class Terminal {
 public:
  // False where there are no pseudo terminals, as in a root without /dev/pts.
  bool Open() {
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0)
      return false;
    name_ = ptsname(master_);
    // Held open: without any user of it, reading from the other end would fail.
    slave_ = open(name_.c_str(), O_RDWR | O_NOCTTY);
    return slave_ >= 0;
  }

  // Runs `flame` with these words behind it.
  void Start(std::vector<std::string> words) {
    words.insert(words.begin(), {FLARESTACK_PROGRAM, "flame"});
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
      setenv("TERM", "xterm", 1);
      setenv("NO_COLOR", "1", 1);
      unsetenv("COLUMNS");
      execv(FLARESTACK_PROGRAM, arguments.data());
      _exit(127);
    }
  }
  Terminal() = default;
  ~Terminal() {
    close(slave_);
    close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void Type(std::string_view keys) {
    EXPECT_EQ(write(master_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  // Reads until the text was shown. False when the program ended, or said nothing for a long time.
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
    }
    seen_.erase(0, seen_.find(text) + text.size());
    return true;
  }

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
};

TEST(FlameScreenTest, WalksZoomsSearchesAndLeavesTheTerminalAsItWas) {
  Terminal terminal;
  if (!terminal.Open())
    GTEST_SKIP() << "no pseudo terminal can be opened here";
  terminal.Start({Example("checkout.folded")});
  ASSERT_TRUE(terminal.WaitFor("all: "));
  terminal.Type("\x1b[B");
  ASSERT_TRUE(terminal.WaitFor("runtime.goexit: "));
  terminal.Type("\r");
  ASSERT_TRUE(terminal.WaitFor("100.00 % of zoomed"));
  terminal.Type("/tryBack\r");
  ASSERT_TRUE(terminal.WaitFor("tryBacktrack: "));
  terminal.Type("q");
  ASSERT_TRUE(terminal.WaitFor("\x1b[?25h\x1b[?1049l"));
  EXPECT_EQ(terminal.ExitCode(), 0);
}

TEST(FlameScreenTest, ADiffTellsFiveNumbersAboutTheCursor) {
  Terminal terminal;
  if (!terminal.Open())
    GTEST_SKIP() << "no pseudo terminal can be opened here";
  const TemporaryFolder folder;
  folder.Write("before", "main;parse 300\nmain;old 200\n");
  folder.Write("after", "main;parse 600\nmain;regex 100\n");
  terminal.Start({"--diff", "--norm", "none", folder.path() + "/before", folder.path() + "/after"});
  ASSERT_TRUE(terminal.WaitFor("+ new  - gone"));
  ASSERT_TRUE(terminal.WaitFor("-old..."));
  ASSERT_TRUE(terminal.WaitFor("all: 500 -> 700, +200, x1.40"));
  terminal.Type("\x1b[B\x1b[B");
  ASSERT_TRUE(terminal.WaitFor("parse: 300 -> 600, +300, x2.00, 75.0 % of what was added"));
  terminal.Type("\x1b[C");
  ASSERT_TRUE(terminal.WaitFor("old: 200 -> 0, -200, gone, 100.0 % of what went away"));
  terminal.Type("/regex\r");
  ASSERT_TRUE(terminal.WaitFor("regex: 0 -> 100, +100, new, 25.0 % of what was added"));
  terminal.Type("q");
  ASSERT_TRUE(terminal.WaitFor("\x1b[?25h\x1b[?1049l"));
  EXPECT_EQ(terminal.ExitCode(), 0);
}

TEST(FlameScreenTest, InterruptLeavesTheTerminalAsItWas) {
  Terminal terminal;
  if (!terminal.Open())
    GTEST_SKIP() << "no pseudo terminal can be opened here";
  terminal.Start({Example("checkout.folded")});
  ASSERT_TRUE(terminal.WaitFor("all: "));
  terminal.Type("\x03");
  ASSERT_TRUE(terminal.WaitFor("\x1b[?25h\x1b[?1049l"));
  EXPECT_EQ(terminal.ExitCode(), 0);
}

}  // namespace
}  // namespace flarestack::testing
