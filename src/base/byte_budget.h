// SPDX-License-Identifier: Apache-2.0
//
// One number that several servers share: how many bytes of unfinished requests may be in memory at
// the same time. Whoever is about to hold bytes asks first, and answers "try again later" when
// refused, so that many large requests at once cost some of them a retry and not the process.
//
//   ByteLease lease(&budget);
//   if (!lease.Grow(content_length)) return Refuse();
//
// Thread-safe. The budget must outlive its leases.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/check.h"

namespace flarestack::base {

class ByteBudget {
 public:
  explicit ByteBudget(uint64_t capacity_bytes) : capacity_(capacity_bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  // All of `bytes` or nothing.
  bool TryAcquire(uint64_t bytes) {
    // Relaxed throughout: the numbers guard no other memory, they only have to add up.
    uint64_t current = current_.load(std::memory_order_relaxed);
    do {
      if (bytes > capacity_ - current) {
        refused_count_.fetch_add(1, std::memory_order_relaxed);
        return false;
      }
    } while (!current_.compare_exchange_weak(current, current + bytes, std::memory_order_relaxed));
    RaiseHighWater(current + bytes);
    return true;
  }

  void Release(uint64_t bytes) {
    const uint64_t before = current_.fetch_sub(bytes, std::memory_order_relaxed);
    FLARE_CHECK(before >= bytes, before, " < ", bytes);
  }

  uint64_t capacity_bytes() const { return capacity_; }
  uint64_t current_bytes() const { return current_.load(std::memory_order_relaxed); }
  uint64_t high_water_bytes() const { return high_water_.load(std::memory_order_relaxed); }
  uint64_t refused_count() const { return refused_count_.load(std::memory_order_relaxed); }

 private:
  void RaiseHighWater(uint64_t reached) {
    uint64_t seen = high_water_.load(std::memory_order_relaxed);
    while (seen < reached &&
           !high_water_.compare_exchange_weak(seen, reached, std::memory_order_relaxed)) {
    }
  }

  const uint64_t capacity_;
  std::atomic<uint64_t> current_ = 0;
  std::atomic<uint64_t> high_water_ = 0;
  std::atomic<uint64_t> refused_count_ = 0;
};

// What one request holds of a budget; given back when destroyed. Without a budget it grants all.
// Not thread-safe by itself.
class ByteLease {
 public:
  ByteLease() = default;
  explicit ByteLease(ByteBudget* budget) : budget_(budget) {}
  ByteLease(ByteLease&& other) noexcept
      : budget_(other.budget_), held_(std::exchange(other.held_, 0)) {}
  ByteLease& operator=(ByteLease&& other) noexcept {
    if (this != &other) {
      Release();
      budget_ = other.budget_;
      held_ = std::exchange(other.held_, 0);
    }
    return *this;
  }
  ~ByteLease() { Release(); }

  // Holds at least `bytes` in all afterwards, or says no and holds what it held.
  bool GrowTo(uint64_t bytes) {
    if (bytes <= held_)
      return true;
    if (budget_ != nullptr && !budget_->TryAcquire(bytes - held_))
      return false;
    held_ = bytes;
    return true;
  }

  // False when so many would not even fit into an empty budget: trying again is of no use.
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

  void Release() { ShrinkTo(0); }

  uint64_t held_bytes() const { return held_; }

 private:
  ByteBudget* budget_ = nullptr;
  uint64_t held_ = 0;
};

}  // namespace flarestack::base
