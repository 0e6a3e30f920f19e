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

  // All of `bytes` or nothing.
  bool TryAcquire(uint64_t bytes) {
    if (TakeIfFree(bytes))
      return true;
    CountRefused();
    return false;
  }

  // The same for a caller that keeps trying (base/byte_queue.h): a failed attempt is no refusal.
  bool TakeIfFree(uint64_t bytes) {
    // Relaxed throughout: the numbers guard no other memory, they only have to add up.
    uint64_t current = current_.load(std::memory_order_relaxed);
    do {
      if (bytes > capacity_ - current)
        return false;
    } while (!current_.compare_exchange_weak(current, current + bytes, std::memory_order_relaxed));
    RaiseHighWater(current + bytes);
    return true;
  }
  void CountRefused() { refused_count_.fetch_add(1, std::memory_order_relaxed); }

  void Release(uint64_t bytes) {
    const uint64_t before = current_.fetch_sub(bytes, std::memory_order_relaxed);
    FLARE_CHECK(before >= bytes, before, " < ", bytes);
    if (on_release_ != nullptr)
      on_release_();
  }

  // Called after each release, from any thread. Set before the budget is used.
  void set_on_release(std::function<void()> on_release) { on_release_ = std::move(on_release); }

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
  std::function<void()> on_release_;
  std::atomic<uint64_t> current_ = 0;
  std::atomic<uint64_t> high_water_ = 0;
  std::atomic<uint64_t> refused_count_ = 0;
};

// What one request holds of a budget; given back when destroyed. Without a budget it grants all.
// Part of it may be a reserve: taken from the budget ahead of its use, so that the request does not
// compete with others once it has begun. Not thread-safe by itself.
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

  // Holds at least `bytes` in all afterwards, or says no and holds what it held. The reserve is
  // used up first.
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

  // Adds bytes to the reserve that the caller has acquired from the same budget.
  void Reserve(uint64_t bytes) { reserved_ += bytes; }
  // Gives back what is reserved beyond `bytes` in all.
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
