// SPDX-License-Identifier: Apache-2.0
//
// Delivers messages to a file or an OTLP/HTTP endpoint. Keeps those that can be retried, up to a
// limit; the oldest are dropped first, and counted. Lives on the profiler's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "sdk/config.h"
#include "sdk/export/http_post.h"

namespace flarestack::sdk {

struct SenderStats {
  uint64_t sent = 0;
  uint64_t dropped = 0;
};

class Sender {
 public:
  static constexpr size_t kQueueBytesMax = 16 << 20;

  // `on_wait` is called about ten times a second during slow requests.
  Sender(const Config& config, std::function<void()> on_wait);

  // Empty if the destination is valid.
  const std::string& error() const { return error_; }

  void Add(std::string message);

  // Sends what is due. With `is_last`, tries each message once, regardless of delays.
  void Send(bool is_last);

  bool is_empty() const { return queue_.empty(); }
  const SenderStats& stats() const { return stats_; }
  const std::string& last_failure() const { return last_failure_; }

 private:
  enum class Outcome { kDone, kRetry, kDrop };
  Outcome Deliver(const std::string& message);
  Outcome AppendToFile(const std::string& message);
  void DropOldest();

  const Config& config_;
  std::function<void()> on_wait_;
  std::optional<HttpTarget> target_;
  std::deque<std::string> queue_;
  size_t queue_bytes_ = 0;
  uint64_t delay_ms_ = 0;  // 0: the last attempt succeeded
  uint64_t next_attempt_ms_ = 0;
  std::string error_;
  std::string last_failure_;
  SenderStats stats_;
};

}  // namespace flarestack::sdk
