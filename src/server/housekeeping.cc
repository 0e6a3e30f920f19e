// SPDX-License-Identifier: Apache-2.0
#include "server/housekeeping.h"

#include <chrono>
#include <filesystem>

#include "base/clock.h"
#include "base/status.h"

namespace flarestack::server {
namespace {

constexpr std::chrono::seconds kInterval{5};
constexpr uint64_t kHour = base::kNanosPerHour;

// What is refused must become less before it is taken again, or the answer would flicker.
constexpr double kRoomAgain = 0.98;

}  // namespace

Housekeeping::Housekeeping(store::Store* store, base::Counters* counters,
                           HousekeepingOptions options)
    : store_(*store),
      counters_(*counters),
      options_(std::move(options)),
      thread_([this] { Work(); }) {}

Housekeeping::~Housekeeping() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Housekeeping::Work() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kInterval, [&] { return stopping_; })) {
    lock.unlock();
    if (!RunOnce().ok())
      counters_.Add("flarestack_housekeeping_failed_total", {}, 1);
    lock.lock();
  }
}

absl::Status Housekeeping::RunOnce() {
  const uint64_t now = options_.now_nanos();
  FLARE_RETURN_IF_ERROR(DropOld(now));
  FLARE_RETURN_IF_ERROR(MakeRoom(now));
  return store_.Maintain(now);
}

absl::Status Housekeeping::Admit() const {
  if (!is_full_.load(std::memory_order_relaxed))
    return absl::OkStatus();
  return absl::ResourceExhaustedError("the store has no room on its disk; try again later");
}

absl::Status Housekeeping::DropOld(uint64_t now) {
  if (options_.retention_nanos == 0 || options_.retention_nanos >= now)
    return absl::OkStatus();
  const uint64_t oldest = now - options_.retention_nanos;
  FLARE_ASSIGN(const store::StoreStats stats, store_.Stats());
  if (stats.oldest_nanos == 0 || stats.oldest_nanos + kHour > oldest)
    return absl::OkStatus();
  counters_.Add("flarestack_store_dropped_hours_total", {{"reason", "retention"}},
                (oldest - stats.oldest_nanos) / kHour);
  return store_.DropBefore(oldest);
}

absl::Status Housekeeping::MakeRoom(uint64_t now) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(options_.directory, error);
  const uint64_t free_bytes = error ? UINT64_MAX : space.available;
  while (true) {
    FLARE_ASSIGN(const store::StoreStats stats, store_.Stats());
    const bool is_over = options_.disk_bytes_max != 0 && stats.disk_bytes > options_.disk_bytes_max;
    // The hour that is being written is never dropped, even when something claims to be newer.
    const uint64_t newest = std::min(stats.newest_nanos, now);
    if (!is_over || stats.oldest_nanos == 0 || stats.oldest_nanos + kHour >= newest) {
      const bool is_nearly_over = options_.disk_bytes_max != 0 &&
                                  static_cast<double>(stats.disk_bytes) >
                                      static_cast<double>(options_.disk_bytes_max) * kRoomAgain;
      if (is_over || free_bytes < options_.disk_free_bytes_min)
        is_full_.store(true, std::memory_order_relaxed);
      else if (!is_nearly_over)
        is_full_.store(false, std::memory_order_relaxed);
      return absl::OkStatus();
    }
    counters_.Add("flarestack_store_dropped_hours_total", {{"reason", "disk_limit"}}, 1);
    FLARE_RETURN_IF_ERROR(store_.DropBefore(stats.oldest_nanos + kHour));
  }
}

}  // namespace flarestack::server
