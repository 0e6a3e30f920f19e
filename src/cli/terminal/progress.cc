// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace flarestack::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kInterval = std::chrono::milliseconds(200);

}  // namespace

ProgressMode ProgressModeFrom(std::string_view flag) {
  if (flag == "plain")
    return ProgressMode::kPlain;
  if (flag == "none")
    return ProgressMode::kNone;
  return isatty(STDERR_FILENO) != 0 ? ProgressMode::kTerminal : ProgressMode::kNone;
}

Progress::Progress(ProgressMode mode) : mode_(mode) {
  if (mode_ == ProgressMode::kTerminal)
    thread_ = std::thread([this] { Loop(); });
}

Progress::~Progress() {
  {
    const base::MutexLock lock(mutex_);
    is_done_ = true;
  }
  wake_.NotifyAll();
  if (thread_.joinable())
    thread_.join();
}

void Progress::Step(std::string text) {
  if (mode_ == ProgressMode::kPlain)
    fmt::print(stderr, "{}\n", text);
  const base::MutexLock lock(mutex_);
  step_ = std::move(text);
}

void Progress::Loop() {
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  bool has_drawn = false;
  std::chrono::steady_clock::time_point draw_at = start + kPatience;
  const base::MutexLock lock(mutex_);
  while (!is_done_) {
    if (wake_.WaitUntil(mutex_, draw_at) || is_done_)
      continue;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    fmt::print(stderr, "\r\x1b[K{}  {:.1f} s", step_, elapsed.count());
    std::fflush(stderr);
    has_drawn = true;
    draw_at = std::chrono::steady_clock::now() + kInterval;
  }
  if (has_drawn)
    fmt::print(stderr, "\r\x1b[K");
}

}  // namespace flarestack::cli
