// SPDX-License-Identifier: Apache-2.0
#include "server/housekeeping.h"

#include <algorithm>
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

Housekeeping::Housekeeping(const Tenants* tenants, Room* room, base::Counters* counters,
                           HousekeepingOptions options)
    : tenants_(*tenants),
      room_(*room),
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
  const std::vector<Tenants::Named> all = tenants_.All();
  absl::Status result;
  for (const auto& [name, store] : all)
    result.Update(DropOld(now, store));
  result.Update(MakeRoom(now));
  for (const auto& [name, store] : all)
    result.Update(store->Maintain(now));
  return result;
}

absl::Status Housekeeping::DropOld(uint64_t now, store::Store* store) {
  FLARE_ASSIGN(const store::StoreStats stats, store->Stats());
  store::SignalTimes oldest;
  uint64_t dropped_hours = 0;
  for (const store::Signal signal : store::kSignals) {
    const uint64_t retention = options_.retention[signal];
    if (retention == 0 || retention >= now)
      continue;
    oldest[signal] = now - retention;
    const uint64_t stored = stats.oldest[signal];
    if (stored != 0 && stored + kHour <= oldest[signal])
      dropped_hours = std::max(dropped_hours, (oldest[signal] - stored) / kHour);
  }
  if (dropped_hours > 0)
    counters_.Add("flarestack_store_dropped_hours_total", {{"reason", "retention"}}, dropped_hours);
  return store->DropBefore(oldest);
}

absl::StatusOr<Housekeeping::Sum> Housekeeping::SumUp() const {
  Sum sum;
  for (const auto& [name, store] : tenants_.All()) {
    FLARE_ASSIGN(const store::StoreStats stats, store->Stats());
    sum.disk_bytes += stats.disk_bytes;
    sum.newest_nanos = std::max(sum.newest_nanos, stats.newest_nanos);
    if (stats.oldest_nanos != 0 &&
        (sum.oldest == nullptr || stats.oldest_nanos < sum.oldest_nanos)) {
      sum.oldest_nanos = stats.oldest_nanos;
      sum.oldest = store;
    }
  }
  return sum;
}

absl::Status Housekeeping::MakeRoom(uint64_t now) {
  while (true) {
    FLARE_ASSIGN(const Sum sum, SumUp());
    const bool is_over = options_.disk_bytes_max != 0 && sum.disk_bytes > options_.disk_bytes_max;
    // The hour that is being written is never dropped, even when something claims to be newer.
    const uint64_t newest = std::min(sum.newest_nanos, now);
    if (!is_over || sum.oldest == nullptr || sum.oldest_nanos + kHour >= newest) {
      SetFull(sum);
      return absl::OkStatus();
    }
    counters_.Add("flarestack_store_dropped_hours_total", {{"reason", "disk_limit"}}, 1);
    FLARE_RETURN_IF_ERROR(
        sum.oldest->DropBefore(store::SignalTimes::All(sum.oldest_nanos + kHour)));
  }
}

void Housekeeping::SetFull(const Sum& sum) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(options_.directory, error);
  const uint64_t free_bytes = error ? UINT64_MAX : space.available;
  const auto disk_bytes = static_cast<double>(sum.disk_bytes);
  const auto disk_bytes_max = static_cast<double>(options_.disk_bytes_max);
  const bool is_limited = options_.disk_bytes_max != 0;
  if ((is_limited && disk_bytes > disk_bytes_max) || free_bytes < options_.disk_free_bytes_min)
    room_.set_full(true);
  else if (!is_limited || disk_bytes <= disk_bytes_max * kRoomAgain)
    room_.set_full(false);
}

}  // namespace flarestack::server
