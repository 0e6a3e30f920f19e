// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/text/text.h"
#include "symbol/name_style.h"

namespace flarestack::cli {
namespace {

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

winsize WindowSize() {
  winsize size = {};
  if (isatty(STDOUT_FILENO) != 0)
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return size;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

bool UseColour() {
  if (IsSet("NO_COLOR"))
    return false;
  const char* force = std::getenv("CLICOLOR_FORCE");
  if (force != nullptr && *force != '\0' && std::strcmp(force, "0") != 0)
    return true;
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

size_t TerminalWidth() {
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    size_t width = 0;
    if (std::from_chars(columns, columns + std::strlen(columns), width).ec == std::errc())
      return width;
  }
  return WindowSize().ws_col;
}

void Show(std::string_view text) {
  const winsize window = WindowSize();
  const auto lines = static_cast<size_t>(std::ranges::count(text, '\n'));
  if (window.ws_row > 0 && lines >= window.ws_row && IsSet("PAGER")) {
    std::fflush(stdout);
    if (FILE* pager = popen(std::getenv("PAGER"), "w"); pager != nullptr) {
      std::fwrite(text.data(), 1, text.size(), pager);
      pclose(pager);
      return;
    }
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string Bold(std::string_view text) {
  return UseColour() ? base::StrCat("\x1b[1m", text, "\x1b[0m") : std::string(text);
}

std::string Dim(std::string_view text) {
  return UseColour() ? base::StrCat("\x1b[2m", text, "\x1b[0m") : std::string(text);
}

std::string Printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    // U+0080 to U+009F are control characters too, encoded in two bytes.
    const bool begins_control = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if (byte < 0x20 || byte == 0x7f || begins_control) {
      const unsigned char code = begins_control ? next : byte;
      out += "\\x";
      out += kDigits[code >> 4];
      out += kDigits[code & 15];
      i += begins_control ? 1 : 0;
    } else {
      out += text[i];
    }
  }
  return out;
}

size_t Columns(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return !IsContinuation(c); }));
}

std::string Fit(std::string_view text, size_t width) {
  if (width == 0 || Columns(text) <= width)
    return std::string(text);
  size_t end = 0;
  for (size_t column = 0; end < text.size(); ++end) {
    if (!IsContinuation(text[end]) && ++column == width)
      break;
  }
  return base::StrCat(text.substr(0, end), "…");
}

std::string FitName(std::string_view name, size_t width) {
  if (width == 0 || Columns(name) <= width)
    return std::string(name);
  std::string shorter = symbol::ShortenName(name, symbol::NameStyle::kSimple);
  if (Columns(shorter) > width)
    shorter = symbol::ShortenName(name, symbol::NameStyle::kNoTemplates);
  return Fit(shorter, width);
}

}  // namespace flarestack::cli
