// SPDX-License-Identifier: Apache-2.0
//
// A limit, shared by several servers, on the bytes of unfinished requests in memory. A server
// acquires bytes before it allocates them. If that fails, it rejects the request as retryable: a
// burst of large requests costs some of them a retry instead of killing the process.
//
//   ByteLease lease(&budget);
//   if (!lease.Grow(content_length)) return Reject();
//
// Thread-safe. The budget must outlive its leases.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "base/check.h"

namespace flarestack::base {

class ByteBudget {
 public:
  explicit ByteBudget(uint64_t capacity_bytes) : capacity_(capacity_bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  // Acquires all of `bytes` or nothing.
  bool TryAcquire(uint64_t bytes) {
    if (TakeIfFree(bytes))
      return true;
    CountRejected();
    return false;
  }

  // Like TryAcquire(), but a failed attempt is not counted as a rejection. For callers that keep
  // trying (base/memory/byte_queue.h).
  bool TakeIfFree(uint64_t bytes) {
    // Relaxed throughout: the counters guard no other memory, they only have to add up.
    uint64_t current = current_.load(std::memory_order_relaxed);
    do {
      if (bytes > capacity_ - current)
        return false;
    } while (!current_.compare_exchange_weak(current, current + bytes, std::memory_order_relaxed));
    RaiseHighWater(current + bytes);
    return true;
  }
  void CountRejected() { rejected_count_.fetch_add(1, std::memory_order_relaxed); }

  void Release(uint64_t bytes) {
    const uint64_t before = current_.fetch_sub(bytes, std::memory_order_relaxed);
    FLARE_CHECK(before >= bytes, before, " < ", bytes);
    if (on_release_ != nullptr)
      on_release_();
  }

  // The callback runs after each release, on any thread. Set it before the budget is used.
  void set_on_release(std::function<void()> on_release) { on_release_ = std::move(on_release); }

  uint64_t capacity_bytes() const { return capacity_; }
  uint64_t current_bytes() const { return current_.load(std::memory_order_relaxed); }
  uint64_t high_water_bytes() const { return high_water_.load(std::memory_order_relaxed); }
  uint64_t rejected_count() const { return rejected_count_.load(std::memory_order_relaxed); }

 private:
  void RaiseHighWater(uint64_t reached) {
    uint64_t seen = high_water_.load(std::memory_order_relaxed);
    while (seen < reached &&
           !high_water_.compare_exchange_weak(seen, reached, std::memory_order_relaxed)) {
    }
  }

  const uint64_t capacity_;
  std::function<void()> on_release_;
  std::atomic<uint64_t> current_ = 0;
  std::atomic<uint64_t> high_water_ = 0;
  std::atomic<uint64_t> rejected_count_ = 0;
};

// The share of a budget that one request holds; the destructor releases it. Without a budget, every
// request for bytes succeeds. Part of a lease may be a reserve: bytes acquired ahead of use, so
// that the request does not compete with others once it has begun. Not thread-safe.
class ByteLease {
 public:
  ByteLease() = default;
  explicit ByteLease(ByteBudget* budget) : budget_(budget) {}
  ByteLease(ByteLease&& other) noexcept
      : budget_(other.budget_),
        held_(std::exchange(other.held_, 0)),
        reserved_(std::exchange(other.reserved_, 0)) {}
  ByteLease& operator=(ByteLease&& other) noexcept {
    if (this != &other) {
      Release();
      budget_ = other.budget_;
      held_ = std::exchange(other.held_, 0);
      reserved_ = std::exchange(other.reserved_, 0);
    }
    return *this;
  }
  ~ByteLease() { Release(); }

  // Grows the lease to at least `bytes` in total, using the reserve first. Returns false and leaves
  // the lease unchanged if the budget has no room.
  bool GrowTo(uint64_t bytes) {
    if (bytes <= held_)
      return true;
    const uint64_t more = bytes - held_;
    const uint64_t from_reserve = std::min(more, reserved_);
    if (budget_ != nullptr && more > from_reserve && !budget_->TryAcquire(more - from_reserve))
      return false;
    held_ = bytes;
    reserved_ -= from_reserve;
    return true;
  }

  // False if `bytes` would not fit even into an empty budget, so a retry cannot succeed.
  bool CanEverHold(uint64_t bytes) const { return bytes <= capacity_bytes(); }

  uint64_t capacity_bytes() const {
    return budget_ == nullptr ? std::numeric_limits<uint64_t>::max() : budget_->capacity_bytes();
  }

  bool Grow(uint64_t more_bytes) {
    return more_bytes <= std::numeric_limits<uint64_t>::max() - held_ && GrowTo(held_ + more_bytes);
  }

  void ShrinkTo(uint64_t bytes) {
    if (bytes >= held_)
      return;
    if (budget_ != nullptr)
      budget_->Release(held_ - bytes);
    held_ = bytes;
  }

  // Adds bytes to the reserve. The caller has already acquired them from the same budget.
  void Reserve(uint64_t bytes) { reserved_ += bytes; }
  // Releases the part of the reserve that raises the lease above `total_bytes`.
  void ShrinkReserve(uint64_t total_bytes) {
    const uint64_t kept = total_bytes > held_ ? std::min(reserved_, total_bytes - held_) : 0;
    if (budget_ != nullptr && reserved_ > kept)
      budget_->Release(reserved_ - kept);
    reserved_ = kept;
  }

  void Release() {
    ShrinkReserve(0);
    ShrinkTo(0);
  }

  uint64_t held_bytes() const { return held_; }
  uint64_t total_bytes() const { return held_ + reserved_; }

 private:
  ByteBudget* budget_ = nullptr;
  uint64_t held_ = 0;
  uint64_t reserved_ = 0;
};

}  // namespace flarestack::base
