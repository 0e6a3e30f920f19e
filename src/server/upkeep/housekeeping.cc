// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/housekeeping.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>

#include "base/clock.h"
#include "base/file/directory.h"
#include "base/memory/freed_memory.h"
#include "base/status.h"
#include "model/signal.h"

namespace flarestack::server {
namespace {

constexpr std::chrono::seconds kInterval{5};
constexpr std::chrono::milliseconds kPressureInterval{50};
constexpr int kRoundsPerTrim = 12;  // one minute: users of the UI send their next request within it
constexpr uint64_t kHour = base::kNanosPerHour;

// Hysteresis: resume below 98 % to avoid flapping.
constexpr double kRoomAgain = 0.98;

// Drops hours until this fraction of the limit is free, so that not every round has to drop one.
constexpr uint64_t kFreedPart = 20;

// Under pressure, measures the disk again after writing this fraction of the limit.
constexpr uint64_t kMeasurementsPerLimit = 64;

// Excludes uploads, which have their own stores and their own limit.
bool IsOfStores(std::string_view path) {
  return (path.ends_with(".sst") || path.ends_with(".log")) &&
         path.find("/scratch/") == std::string_view::npos &&
         path.find("/symbols/") == std::string_view::npos;
}

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
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.NotifyOne();
  thread_.join();
}

// The first round runs at once: it drops data that expired while the server was down, and rolls up
// hours.
void Housekeeping::Work() {
  base::MutexLock lock(mutex_);
  int rounds = 0;
  do {
    lock.Unlock();
    if (++rounds % kRoundsPerTrim == 0)
      base::GiveFreedMemoryBack();
    if (const absl::Status status = RunOnce(); !status.ok()) {
      counters_.Add("flarestack_housekeeping_failed_total", {}, 1);
      options_.log->Write(base::LogLevel::kError, "housekeeping.failed",
                          {{"error", base::Message(status)}});
    }
    lock.Lock();
    const auto next = std::chrono::steady_clock::now() + kInterval;
    while (!stopping_ && std::chrono::steady_clock::now() < next && !IsPressed())
      wake_.WaitFor(mutex_, kPressureInterval);
  } while (!stopping_);
}

// Whether enough was written since the last round that the limit may be near.
bool Housekeeping::IsPressed() const {
  if (options_.quota == nullptr)
    return false;
  const store::DiskQuota& quota = *options_.quota;
  const bool has_grown =
      quota.written() - written_at_round_ > quota.bytes_max() / kMeasurementsPerLimit;
  return (has_grown && quota.used_bytes() > quota.data_bytes_max()) ||
         (quota.has_rejected() && can_make_room_);
}

absl::Status Housekeeping::RunOnce() {
  // While one round drops an hour, old and new tables are on the disk: a second one would take that
  // for data, and drop more than it must.
  const base::MutexLock round(round_mutex_);
  const uint64_t now = options_.now_nanos();
  const std::vector<Tenants::Named> all = tenants_.All();
  if (options_.scratch != nullptr)
    options_.scratch->RemoveExpired(now);
  absl::Status result;
  for (const Tenants::Named& tenant : all)
    result.Update(DropOld(now, tenant));
  result.Update(EnforceDiskLimit(now));
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
  for (const model::Signal signal : model::kSignals) {
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

absl::StatusOr<Housekeeping::Sum> Housekeeping::SumUp() {
  Sum sum;
  const uint64_t written = options_.quota == nullptr ? 0 : options_.quota->written();
  const DiskUse use = MeasureDisk(options_.directory);
  if (options_.quota != nullptr)
    options_.quota->SetMeasured(use.bytes, written);
  written_at_round_ = written;
  uint64_t live_bytes = 0;
  for (const auto& [name, store] : tenants_.All()) {
    const absl::StatusOr<store::StoreStats> found = store->Stats();
    // This store is being reopened. Skip it, so that the others still get room.
    if (absl::IsUnavailable(found.status()))
      continue;
    FLARE_ASSIGN(const store::StoreStats stats, found);
    live_bytes += stats.disk_bytes;
    sum.newest_nanos = std::max(sum.newest_nanos, stats.newest_nanos);
  }
  sum.disk_bytes = use.bytes;
  // Files that a compaction is writing, or that are about to be deleted, must not cause data to be
  // dropped.
  sum.resting_bytes = use.bytes - use.store_bytes + std::min(live_bytes, use.store_bytes);
  return sum;
}

absl::StatusOr<Housekeeping::Hours> Housekeeping::DroppableHours(uint64_t end_nanos) const {
  Hours hours;
  for (const auto& [name, store] : tenants_.All()) {
    const absl::StatusOr<std::vector<store::HourBytes>> found = store->BytesByHour();
    if (absl::IsUnavailable(found.status()))
      continue;
    FLARE_RETURN_IF_ERROR(found.status());
    for (const store::HourBytes& hour : *found) {
      if (hour.begin_nanos + kHour < end_nanos)
        hours[hour.begin_nanos] += hour.bytes;
    }
  }
  return hours;
}

absl::Status Housekeeping::DropBefore(uint64_t nanos) {
  for (const Tenants::Named& tenant : tenants_.All()) {
    FLARE_ASSIGN(const store::StoreStats stats, tenant.store->Stats());
    if (stats.oldest_nanos == 0 || stats.oldest_nanos >= nanos)
      continue;
    CountDropped("disk_limit", tenant.name, (nanos - stats.oldest_nanos) / kHour);
    FLARE_RETURN_IF_ERROR(tenant.store->DropBefore(store::SignalTimes::All(nanos)));
  }
  return absl::OkStatus();
}

absl::Status Housekeeping::EnforceDiskLimit(uint64_t now) {
  FLARE_ASSIGN(Sum sum, SumUp());
  if (options_.quota == nullptr) {
    SetFull(sum);
    return absl::OkStatus();
  }
  const store::DiskQuota& quota = *options_.quota;
  // A rejected write must fit next time: once as log, and once as table.
  const uint64_t wanted =
      std::min(2 * options_.quota->TakeRejectedBytes(), quota.data_bytes_max() / 2);
  const uint64_t most = std::min(quota.data_bytes_max(), quota.write_bytes_max() - wanted);
  const uint64_t target = most - std::min(most, quota.bytes_max() / kFreedPart);
  can_make_room_ = true;
  while (sum.resting_bytes > most) {
    // Never drop the hour being written, even if data has timestamps in the future.
    FLARE_ASSIGN(const Hours hours, DroppableHours(std::min(sum.newest_nanos, now)));
    FLARE_ASSIGN(sum, SumUp());  // the log was flushed to tables and is smaller now
    can_make_room_ = !hours.empty();
    if (sum.resting_bytes <= most || !can_make_room_)
      break;
    const uint64_t before = sum.resting_bytes;
    uint64_t freed = 0;
    auto at = hours.begin();
    for (; at != hours.end() && before - std::min(freed, before) > target; ++at)
      freed += at->second;
    FLARE_RETURN_IF_ERROR(DropBefore(std::prev(at)->first + kHour));
    FLARE_ASSIGN(sum, SumUp());
    // Dropping more would lose data and free nothing.
    can_make_room_ = sum.resting_bytes < before;
    if (!can_make_room_)
      break;
  }
  SetFull(sum);
  return absl::OkStatus();
}

void Housekeeping::SetFull(const Sum& sum) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(options_.directory, error);
  const uint64_t free_bytes = error ? UINT64_MAX : space.available;
  const auto disk_bytes = static_cast<double>(sum.disk_bytes);
  const uint64_t limit = options_.quota == nullptr ? 0 : options_.quota->bytes_max();
  const auto disk_bytes_max = static_cast<double>(limit);
  const bool is_limited = limit != 0;
  const bool was_full = room_.is_full();
  if ((is_limited && disk_bytes > disk_bytes_max) || free_bytes < options_.disk_free_bytes_min)
    room_.set_full(true);
  else if (!is_limited || disk_bytes <= disk_bytes_max * kRoomAgain)
    room_.set_full(false);
  if (room_.is_full() != was_full) {
    options_.log->Write(was_full ? base::LogLevel::kInfo : base::LogLevel::kWarn,
                        was_full ? "store.has_room" : "store.full",
                        {{"disk_bytes", base::StrCat(sum.disk_bytes)},
                         {"disk_limit_bytes", base::StrCat(limit)},
                         {"free_bytes", base::StrCat(free_bytes)}});
  }
}

DiskUse MeasureDisk(const std::string& data_dir) {
  DiskUse use;
  base::VisitFiles(data_dir, [&](const base::FileUse& file) {
    use.bytes += file.bytes;
    if (IsOfStores(std::string_view(file.path).substr(data_dir.size())))
      use.store_bytes += file.bytes;
  });
  return use;
}

}  // namespace flarestack::server
