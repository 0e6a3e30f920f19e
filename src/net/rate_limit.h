// SPDX-License-Identifier: Apache-2.0
//
// Token buckets for one principal: requests per second and bytes per second.
//
// Bytes are paid afterwards, because the length of a chunked body is not known before: a large
// request is let in while there is credit, and the debt it leaves keeps the next ones out.
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "absl/status/status.h"

namespace flarestack::net {

// How long to wait before a refused request is worth another try, carried inside a status.
absl::Status WithRetryDelay(absl::Status status, std::chrono::milliseconds delay);
std::optional<std::chrono::milliseconds> RetryDelay(const absl::Status& status);

class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    double requests_per_second = 0;  // 0: unlimited
    double bytes_per_second = 0;
    friend bool operator==(const Limits&, const Limits&) = default;
  };

  // A bucket holds one second of its rate, and at least one request.
  explicit RateLimit(const Limits& limits, std::function<Clock::time_point()> now = Clock::now);

  // kResourceExhausted with a RetryDelay() when either bucket is empty.
  absl::Status TakeRequest();

  void PayBytes(uint64_t bytes);

 private:
  struct Bucket {
    double rate = 0;
    double capacity = 0;
    double credit = 0;
  };

  void Refill();  // mutex_ is held
  static double SecondsUntil(const Bucket& bucket, double credit);

  const std::function<Clock::time_point()> now_;
  std::mutex mutex_;
  Bucket requests_;         // guarded by mutex_
  Bucket bytes_;            // guarded by mutex_
  Clock::time_point last_;  // guarded by mutex_
};

}  // namespace flarestack::net
