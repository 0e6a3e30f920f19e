// SPDX-License-Identifier: Apache-2.0
#include "sdk/export/sender.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace flarestack::sdk {
namespace {

constexpr uint64_t kDelayMinMs = 1'000;
constexpr uint64_t kDelayMaxMs = 30'000;

uint64_t MonotonicMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1'000'000;
}

std::string WithProcessId(std::string path) {
  for (size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p", at)) {
    const std::string id = std::to_string(getpid());
    path.replace(at, 2, id);
    at += id.size();
  }
  return path;
}

}  // namespace

Sender::Sender(const Config& config, std::function<void()> on_wait)
    : config_(config), on_wait_(std::move(on_wait)) {
  if (config.exporter == ExporterKind::kOtlp) {
    std::string why;
    target_ = ParseHttpUrl(config.endpoint, &why);
    if (!target_.has_value())
      error_ = "endpoint " + config.endpoint + ": " + why;
  }
}

void Sender::Add(std::string message) {
  if (config_.exporter == ExporterKind::kNone || message.empty())
    return;
  queue_bytes_ += message.size();
  queue_.push_back(std::move(message));
  while (queue_bytes_ > kQueueBytesMax && queue_.size() > 1)
    DropOldest();
}

void Sender::DropOldest() {
  queue_bytes_ -= queue_.front().size();
  queue_.pop_front();
  ++stats_.dropped;
}

void Sender::Send(bool is_last) {
  if (!is_last && MonotonicMs() < next_attempt_ms_)
    return;
  while (!queue_.empty()) {
    switch (Deliver(queue_.front())) {
      case Outcome::kDone:
        queue_bytes_ -= queue_.front().size();
        queue_.pop_front();
        ++stats_.sent;
        delay_ms_ = 0;
        next_attempt_ms_ = 0;
        break;
      case Outcome::kDrop:
        DropOldest();
        break;
      case Outcome::kRetry:
        delay_ms_ = std::clamp(delay_ms_ * 2, kDelayMinMs, kDelayMaxMs);
        next_attempt_ms_ = std::max(next_attempt_ms_, MonotonicMs() + delay_ms_);
        return;
    }
  }
}

Sender::Outcome Sender::Deliver(const std::string& message) {
  if (config_.exporter == ExporterKind::kFile)
    return AppendToFile(message);
  if (!target_.has_value())
    return Outcome::kDrop;
  const HttpResult result =
      HttpPost(*target_, config_.headers, message, config_.export_timeout_ms, on_wait_);
  if (result.is_ok())
    return Outcome::kDone;
  last_failure_ = result.error;
  if (!result.is_retryable())
    return Outcome::kDrop;
  if (result.retry_after_ms.has_value())
    next_attempt_ms_ = MonotonicMs() + std::min(*result.retry_after_ms, uint64_t{3'600'000});
  return Outcome::kRetry;
}

// Each message has its length before it, as in the files of the Collector. One write, so that
// processes that share a file do not mix their messages.
Sender::Outcome Sender::AppendToFile(const std::string& message) {
  const std::string path = WithProcessId(config_.file);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    last_failure_ = "cannot open " + path;
    return Outcome::kRetry;
  }
  std::array<unsigned char, 4> length;
  for (size_t i = 0; i < length.size(); ++i)
    length[i] = static_cast<unsigned char>(message.size() >> (8 * (3 - i)));
  std::string framed(reinterpret_cast<const char*>(length.data()), length.size());
  framed += message;
  const off_t before = lseek(file, 0, SEEK_END);
  const ssize_t written = write(file, framed.data(), framed.size());
  const bool is_whole = written == static_cast<ssize_t>(framed.size());
  if (!is_whole) {
    last_failure_ = "cannot write " + path;
    // A part of a message would make the rest of the file unreadable.
    if (written > 0 && ftruncate(file, before) != 0)
      last_failure_ += ", and it is damaged";
  }
  close(file);
  return is_whole ? Outcome::kDone : Outcome::kRetry;
}

}  // namespace flarestack::sdk
