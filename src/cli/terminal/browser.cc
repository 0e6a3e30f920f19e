// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "base/status.h"

namespace flarestack::cli {
namespace {

constexpr std::string_view kPlaceOfUrl = "%s";

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Omits empty pieces.
std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    if (end != 0)
      pieces.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return pieces;
}

// No shell parses the words, so the URL needs no quotes and cannot inject commands.
std::vector<std::string> WithUrl(std::vector<std::string> words, const std::string& url) {
  bool has_place = false;
  for (std::string& word : words) {
    if (const size_t at = word.find(kPlaceOfUrl); at != std::string::npos) {
      word.replace(at, kPlaceOfUrl.size(), url);
      has_place = true;
    }
  }
  if (!has_place)
    words.push_back(url);
  return words;
}

// Starts a browser in its own session, so that Ctrl-C in this terminal does not end it, and without
// output to this terminal.
class DetachedSpawn {
 public:
  DetachedSpawn() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }
  ~DetachedSpawn() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  DetachedSpawn(const DetachedSpawn&) = delete;
  DetachedSpawn& operator=(const DetachedSpawn&) = delete;

  // Returns 0 or an errno.
  int Run(std::vector<std::string> words, pid_t* pid) const {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return posix_spawnp(pid, arguments[0], &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_ = {};
  posix_spawnattr_t attributes_ = {};
};

// Reaps the browser when it exits, so that it does not stay a zombie.
void TakeNoteOfEnd(pid_t pid) {
  std::thread([pid] {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }).detach();
}

}  // namespace

BrowserSettings BrowserSettings::OfThisProcess() {
  return {.browser = Variable("BROWSER"),
          .display = Variable("DISPLAY"),
          .wayland_display = Variable("WAYLAND_DISPLAY")};
}

std::vector<std::vector<std::string>> BrowserCommands(const BrowserSettings& settings,
                                                      const std::string& url) {
  std::vector<std::vector<std::string>> commands;
  for (const std::string& command : Split(settings.browser, ':')) {
    if (std::vector<std::string> words = Split(command, ' '); !words.empty())
      commands.push_back(WithUrl(std::move(words), url));
  }
  if (commands.empty() && !(settings.display.empty() && settings.wayland_display.empty()))
    commands.push_back({"xdg-open", url});
  return commands;
}

absl::Status OpenBrowser(const std::string& url) {
  const auto commands = BrowserCommands(BrowserSettings::OfThisProcess(), url);
  if (commands.empty())
    return absl::NotFoundError("no display, and $BROWSER is not set");
  std::string reasons;
  const DetachedSpawn spawn;
  for (const std::vector<std::string>& words : commands) {
    pid_t pid = -1;
    const int error = spawn.Run(words, &pid);
    if (error == 0) {
      TakeNoteOfEnd(pid);
      return absl::OkStatus();
    }
    base::StrAppend(&reasons, reasons.empty() ? "" : "; ", words[0], ": ", std::strerror(error));
  }
  return absl::NotFoundError(base::StrCat("cannot start a browser: ", reasons));
}

}  // namespace flarestack::cli
