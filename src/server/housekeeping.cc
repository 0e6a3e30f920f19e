// SPDX-License-Identifier: Apache-2.0
#include "server/housekeeping.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/clock.h"
#include "base/freed_memory.h"
#include "base/status.h"

namespace flarestack::server {
namespace {

constexpr std::chrono::seconds kInterval{5};
constexpr int kRoundsPerTrim = 12;  // a minute: who looks at pages asks again within it
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

// At once for a start: what has grown old while no server ran goes, and hours are rolled up.
void Housekeeping::Work() {
  std::unique_lock lock(mutex_);
  int rounds = 0;
  do {
    lock.unlock();
    if (++rounds % kRoundsPerTrim == 0)
      base::GiveFreedMemoryBack();
    if (const absl::Status status = RunOnce(); !status.ok()) {
      counters_.Add("flarestack_housekeeping_failed_total", {}, 1);
      options_.log->Write(base::LogLevel::kError, "housekeeping.failed",
                          {{"error", base::Message(status)}});
    }
    lock.lock();
  } while (!wake_.wait_for(lock, kInterval, [&] { return stopping_; }));
}

absl::Status Housekeeping::RunOnce() {
  // While one round drops an hour, old and new tables are on the disk: a second one would take that
  // for data, and drop more than it must.
  const std::lock_guard round(round_mutex_);
  const uint64_t now = options_.now_nanos();
  const std::vector<Tenants::Named> all = tenants_.All();
  if (options_.scratch != nullptr)
    options_.scratch->RemoveExpired(now);
  absl::Status result;
  for (const Tenants::Named& tenant : all)
    result.Update(DropOld(now, tenant));
  result.Update(MakeRoom(now));
  for (const auto& [name, store] : all)
    result.Update(store->Maintain(now));
  return result;
}

void Housekeeping::CountDropped(std::string_view reason, std::string_view tenant, uint64_t hours) {
  counters_.Add("flarestack_store_dropped_hours_total", {{"reason", reason}}, hours);
  options_.log->Write(base::LogLevel::kInfo, "store.dropped",
                      {{"reason", reason}, {"tenant", tenant}, {"hours", base::StrCat(hours)}});
}

absl::Status Housekeeping::DropOld(uint64_t now, const Tenants::Named& tenant) {
  FLARE_ASSIGN(const store::StoreStats stats, tenant.store->Stats());
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
    CountDropped("retention", tenant.name, dropped_hours);
  return tenant.store->DropBefore(oldest);
}

absl::StatusOr<Housekeeping::Sum> Housekeeping::SumUp() const {
  Sum sum;
  for (const auto& [name, store] : tenants_.All()) {
    const absl::StatusOr<store::StoreStats> found = store->Stats();
    // It is being opened anew, which must not keep the others from having room.
    if (absl::IsUnavailable(found.status()))
      continue;
    FLARE_ASSIGN(const store::StoreStats stats, found);
    sum.disk_bytes += stats.disk_bytes;
    sum.newest_nanos = std::max(sum.newest_nanos, stats.newest_nanos);
    if (stats.oldest_nanos != 0 &&
        (sum.oldest.store == nullptr || stats.oldest_nanos < sum.oldest_nanos)) {
      sum.oldest_nanos = stats.oldest_nanos;
      sum.oldest = {name, store};
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
    if (!is_over || sum.oldest.store == nullptr || sum.oldest_nanos + kHour >= newest) {
      SetFull(sum);
      return absl::OkStatus();
    }
    CountDropped("disk_limit", sum.oldest.name, 1);
    FLARE_RETURN_IF_ERROR(
        sum.oldest.store->DropBefore(store::SignalTimes::All(sum.oldest_nanos + kHour)));
  }
}

void Housekeeping::SetFull(const Sum& sum) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(options_.directory, error);
  const uint64_t free_bytes = error ? UINT64_MAX : space.available;
  const auto disk_bytes = static_cast<double>(sum.disk_bytes);
  const auto disk_bytes_max = static_cast<double>(options_.disk_bytes_max);
  const bool is_limited = options_.disk_bytes_max != 0;
  const bool was_full = room_.is_full();
  if ((is_limited && disk_bytes > disk_bytes_max) || free_bytes < options_.disk_free_bytes_min)
    room_.set_full(true);
  else if (!is_limited || disk_bytes <= disk_bytes_max * kRoomAgain)
    room_.set_full(false);
  if (room_.is_full() != was_full) {
    options_.log->Write(was_full ? base::LogLevel::kInfo : base::LogLevel::kWarn,
                        was_full ? "store.has_room" : "store.full",
                        {{"disk_bytes", base::StrCat(sum.disk_bytes)},
                         {"disk_limit_bytes", base::StrCat(options_.disk_bytes_max)},
                         {"free_bytes", base::StrCat(free_bytes)}});
  }
}

}  // namespace flarestack::server
