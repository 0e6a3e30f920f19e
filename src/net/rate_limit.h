// SPDX-License-Identifier: Apache-2.0
//
// Token buckets for one principal: requests per second and bytes per second.
//
// Bytes are charged afterwards, because the length of a chunked body is not known in advance. A
// large request is admitted while there is credit, and the debt it leaves blocks later requests.
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "absl/status/status.h"
#include "base/mutex.h"

namespace flarestack::net {

// Attaches to a status how long the client should wait before a retry.
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

  // A bucket has the capacity of one second at its rate, and of at least one request.
  explicit RateLimit(const Limits& limits, std::function<Clock::time_point()> now = Clock::now);

  // Returns kResourceExhausted with a RetryDelay() if either bucket is empty.
  absl::Status TakeRequest();

  void PayBytes(uint64_t bytes);

 private:
  struct Bucket {
    double rate = 0;
    double capacity = 0;
    double credit = 0;
  };

  void Refill() FLARE_REQUIRES(mutex_);
  static double SecondsUntil(const Bucket& bucket, double credit);

  const std::function<Clock::time_point()> now_;
  base::Mutex mutex_;
  Bucket requests_ FLARE_GUARDED_BY(mutex_);
  Bucket bytes_ FLARE_GUARDED_BY(mutex_);
  Clock::time_point last_ FLARE_GUARDED_BY(mutex_);
};

}  // namespace flarestack::net
