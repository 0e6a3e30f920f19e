// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/password.h"

#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "base/file/file.h"
#include "base/status.h"

namespace flarestack::cli {
namespace {

constexpr size_t kLineBytesMax = 4096;
constexpr std::array<int, 4> kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

volatile std::sig_atomic_t received_signal = 0;

void NoteSignal(int signal) { received_signal = signal; }

// Disables echo while it exists. Delays signals that would end the program until echo is on again:
// the terminal must not stay without echo.
class HiddenInput {
 public:
  HiddenInput() {
    struct sigaction note = {};
    note.sa_handler = NoteSignal;
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGTSTP);
    for (size_t i = 0; i < kEndingSignals.size(); ++i) {
      sigaction(kEndingSignals[i], &note, &actions_[i]);
      sigaddset(&held, kEndingSignals[i]);
    }
    sigprocmask(SIG_BLOCK, &held, &mask_);
    waiting_mask_ = mask_;
    sigaddset(&waiting_mask_, SIGTSTP);
    is_hidden_ = tcgetattr(STDIN_FILENO, &settings_) == 0;
    termios hidden = settings_;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    is_hidden_ = is_hidden_ && tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0;
  }
  ~HiddenInput() {
    if (is_hidden_)
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings_);
    for (size_t i = 0; i < kEndingSignals.size(); ++i)
      sigaction(kEndingSignals[i], &actions_[i], nullptr);
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
    if (received_signal != 0)
      raise(received_signal);
  }
  HiddenInput(const HiddenInput&) = delete;
  HiddenInput& operator=(const HiddenInput&) = delete;

  bool is_hidden() const { return is_hidden_; }

  // Returns false if a signal arrived first. Signals are unblocked only here, so that none is
  // missed between checking the flag and waiting.
  bool WaitForKey() const {
    pollfd input = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    while (received_signal == 0) {
      if (ppoll(&input, 1, nullptr, &waiting_mask_) >= 0 || errno != EINTR)
        break;
    }
    return received_signal == 0;
  }

 private:
  termios settings_ = {};
  bool is_hidden_ = false;
  sigset_t mask_ = {};
  sigset_t waiting_mask_ = {};
  std::array<struct sigaction, kEndingSignals.size()> actions_ = {};
};

absl::StatusOr<std::string> Prompt(const HiddenInput& input, std::string_view prompt) {
  fmt::print(stderr, "{}: ", prompt);
  std::string line;
  char c = 0;
  while (line.size() < kLineBytesMax) {
    if (!input.WaitForKey())
      return absl::CancelledError("interrupted");
    if (read(STDIN_FILENO, &c, 1) <= 0 || c == '\n')
      break;
    line += c;
  }
  fmt::print(stderr, "\n");
  return line;
}

absl::StatusOr<std::string> AskTwice() {
  const HiddenInput hidden;
  if (!hidden.is_hidden())
    return absl::FailedPreconditionError("cannot disable terminal echo");
  FLARE_ASSIGN(std::string password, Prompt(hidden, "password"));
  FLARE_ASSIGN(const std::string again, Prompt(hidden, "repeat password"));
  if (password != again)
    return absl::InvalidArgumentError("the two passwords differ");
  return password;
}

}  // namespace

absl::StatusOr<std::string> ReadNewPassword() {
  if (isatty(STDIN_FILENO) != 0)
    return AskTwice();
  FLARE_ASSIGN(std::string text, base::ReadFile(std::string(base::kStandardStream), kLineBytesMax));
  if (text.ends_with('\n'))
    text.pop_back();
  if (text.ends_with('\r'))
    text.pop_back();
  if (text.find('\n') != std::string::npos)
    return absl::InvalidArgumentError("standard input must contain one line with the password");
  return text;
}

}  // namespace flarestack::cli
