// SPDX-License-Identifier: Apache-2.0
#include "net/rate_limit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/cord.h"

namespace flarestack::net {
namespace {

constexpr char kRetryDelayUrl[] = "flarestack/retry_delay_ms";
constexpr double kRetrySecondsMax = 3600;

}  // namespace

absl::Status WithRetryDelay(absl::Status status, std::chrono::milliseconds delay) {
  status.SetPayload(kRetryDelayUrl, absl::Cord(std::to_string(delay.count())));
  return status;
}

std::optional<std::chrono::milliseconds> RetryDelay(const absl::Status& status) {
  const auto payload = status.GetPayload(kRetryDelayUrl);
  if (!payload.has_value())
    return std::nullopt;
  const std::string digits(*payload);
  int64_t delay_ms = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), delay_ms);
  return std::chrono::milliseconds(delay_ms);
}

RateLimit::RateLimit(const Limits& limits, std::function<Clock::time_point()> now)
    : now_(std::move(now)), last_(now_()) {
  const double requests_max = std::max(1.0, limits.requests_per_second);
  requests_ = {limits.requests_per_second, requests_max, requests_max};
  bytes_ = {limits.bytes_per_second, limits.bytes_per_second, limits.bytes_per_second};
}

void RateLimit::Refill() {
  const Clock::time_point now = now_();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  for (Bucket* bucket : {&requests_, &bytes_})
    bucket->credit = std::min(bucket->capacity, bucket->credit + seconds * bucket->rate);
}

double RateLimit::SecondsUntil(const Bucket& bucket, double credit) {
  if (bucket.rate <= 0 || bucket.credit >= credit)
    return 0;
  return (credit - bucket.credit) / bucket.rate;
}

absl::Status RateLimit::TakeRequest() {
  const base::MutexLock lock(mutex_);
  Refill();
  // Any positive byte credit is enough: the size of the request is not known yet.
  const double wait_s =
      std::max(SecondsUntil(requests_, 1), bytes_.credit > 0 ? 0 : SecondsUntil(bytes_, 1));
  if (wait_s > 0) {
    const double capped_s = std::min(wait_s, kRetrySecondsMax);
    return WithRetryDelay(
        absl::ResourceExhaustedError("rate limit of these credentials exceeded"),
        std::chrono::milliseconds(static_cast<int64_t>(std::ceil(capped_s * 1000))));
  }
  if (requests_.rate > 0)
    requests_.credit -= 1;
  return absl::OkStatus();
}

void RateLimit::PayBytes(uint64_t bytes) {
  const base::MutexLock lock(mutex_);
  if (bytes_.rate <= 0)
    return;
  Refill();
  bytes_.credit -= static_cast<double>(bytes);
}

}  // namespace flarestack::net
