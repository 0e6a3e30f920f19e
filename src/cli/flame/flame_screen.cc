// SPDX-License-Identifier: Apache-2.0
#include "cli/flame/flame_screen.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "cli/command/exit_code.h"
#include "cli/flame/flame_keys.h"
#include "cli/terminal/terminal.h"

namespace flarestack::cli {
namespace {

volatile std::sig_atomic_t g_is_ended = 0;

void OnEnd(int) { g_is_ended = 1; }
void OnResize(int) {}  // interrupts the wait, which redraws the screen

// Signals are unblocked only while waiting for a key. Unblocked, a signal that arrives just before
// the wait would not interrupt it.
class CaughtSignals {
 public:
  CaughtSignals() {
    sigset_t ours;
    sigemptyset(&ours);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) {
      struct sigaction action = {};
      action.sa_handler = signal == SIGWINCH ? OnResize : OnEnd;
      sigaction(signal, &action, nullptr);
      sigaddset(&ours, signal);
    }
    sigprocmask(SIG_BLOCK, &ours, &before_);
  }
  ~CaughtSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  CaughtSignals(const CaughtSignals&) = delete;
  CaughtSignals& operator=(const CaughtSignals&) = delete;

  // Like poll, with signals unblocked. A negative time waits forever.
  int Wait(pollfd* input, int milliseconds) const {
    const timespec time = {.tv_sec = 0, .tv_nsec = milliseconds * 1'000'000L};
    return ppoll(input, 1, milliseconds < 0 ? nullptr : &time, &before_);
  }

 private:
  sigset_t before_ = {};
};

// Raw input without echo. The destructor restores the previous screen.
class RawTerminal {
 public:
  RawTerminal() {
    tcgetattr(STDIN_FILENO, &before_);
    termios raw = before_;
    raw.c_lflag &= static_cast<tcflag_t>(~(ICANON | ECHO));
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    Write("\x1b[?1049h\x1b[?25l");
  }
  ~RawTerminal() {
    Write("\x1b[?25h\x1b[?1049l");
    tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  static void Write(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

 private:
  termios before_ = {};
};

winsize WindowSize() {
  winsize size = {};
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  if (size.ws_col < 20 || size.ws_row < 5)
    return {.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  return size;
}

// Keeps the cursor's row visible.
void Scroll(const FlameView& view, uint32_t rows, FlameState* state) {
  const uint32_t depth = view.tree().nodes[state->cursor].depth;
  const uint32_t row = state->zoom == 0 ? depth : (depth == 0 ? 0 : depth - 1);
  if (row < state->first_row)
    state->first_row = row;
  else if (row >= state->first_row + rows)
    state->first_row = row - rows + 1;
}

std::string HeadText(std::span<const std::string> head, size_t width) {
  std::string text = Bold(Fit(head.front(), width)) + "\r\n";
  for (const std::string& line : head.subspan(1))
    text += Dim(Fit(line, width)) + "\r\n";
  return text;
}

std::string Screen(const FlameView& view, FlameKeys* keys, std::span<const std::string> head) {
  constexpr uint32_t kLastLines = 2;
  constexpr uint32_t kRowsMin = 5;
  const winsize window = WindowSize();
  if (window.ws_row < head.size() + kLastLines + kRowsMin)
    head = head.first(1);
  const uint32_t rows = window.ws_row - kLastLines - static_cast<uint32_t>(head.size());
  FlameState& state = keys->state();
  Scroll(view, rows, &state);
  std::string text = "\x1b[H\x1b[2J" + HeadText(head, window.ws_col);
  const FlameLook look = {
      .width = window.ws_col, .rows_max = rows, .use_colour = UseColour(), .show_cursor = true};
  for (const std::string& line : view.Lines(state, look))
    text += line + "\r\n";
  std::string status = view.style().Describe(state.cursor, state.zoom);
  if (!keys->note().empty())
    status = keys->note();
  text += fmt::format("\x1b[{};1H{}\r\n", window.ws_row - 1, Fit(status, window.ws_col));
  text += keys->is_typing()
              ? "/" + keys->typed()
              : Dim(Fit("arrows move  Enter zoom  Backspace out  / search  n next  q quit",
                        window.ws_col));
  return text;
}

}  // namespace

int RunFlameScreen(const FlameView& view, FlameState state, std::span<const std::string> head) {
  const CaughtSignals signals;
  const RawTerminal terminal;
  FlameKeys keys(view);
  keys.state() = std::move(state);
  std::string pending;
  while (g_is_ended == 0) {
    RawTerminal::Write(Screen(view, &keys, head));
    // A lone Escape looks like the start of an arrow key. If nothing follows in this time, it is
    // Escape.
    constexpr int kSequenceMs = 50;
    pollfd input = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const int ready = signals.Wait(&input, pending.empty() ? -1 : kSequenceMs);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready > 0) {
      char bytes[64];
      const ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes));
      if (count <= 0)
        return kSuccess;  // the terminal is gone
      pending.append(bytes, static_cast<size_t>(count));
    }
    for (const KeyPress& press : TakeKeys(&pending, /*is_all=*/ready == 0)) {
      if (!keys.Press(press))
        return kSuccess;
    }
  }
  return kSuccess;
}

}  // namespace flarestack::cli
