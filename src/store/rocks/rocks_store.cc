// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/rocks_store.h"

#include <rocksdb/convenience.h>

#include <array>
#include <chrono>
#include <mutex>

#include "base/status.h"
#include "store/rocks/commit_queue.h"
#include "store/rocks/database.h"
#include "store/rocks/logs.h"
#include "store/rocks/points.h"
#include "store/rocks/profile_reader.h"
#include "store/rocks/profile_writer.h"
#include "store/rocks/rollups.h"
#include "store/rocks/spans.h"

namespace flarestack::store {
namespace {

using namespace rocks;

// Keys of these begin with the hour.
constexpr std::array kFamiliesByHour = {Family::kSamples, Family::kSpanIndex, Family::kLogs,
                                        Family::kPoints};

// Samples of an hour come for a while after it is over.
constexpr uint64_t kRollupGraceNanos = 10 * kNanosPerMinute;

uint32_t Today() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint32_t>(std::chrono::duration_cast<std::chrono::hours>(now).count() / 24);
}

class RocksStore : public Store {
 public:
  RocksStore(std::unique_ptr<Database> database, const RocksStoreOptions& options)
      : database_(std::move(database)),
        commits_(*database_, options.sync_each_commit ? Durability::kFsync : Durability::kOs),
        interner_(*database_, options.memory_bytes_max / 4),
        profiles_(*database_, &interner_, options.series_max),
        metric_series_max_(options.metric_series_max) {}

  absl::Status Open() {
    FLARE_ASSIGN(profiles_.rolled_hour, ReadRolledHour(*database_));
    return interner_.Open();
  }

  absl::StatusOr<AppendedProfiles> AppendProfiles(const model::Batch& batch) override {
    AppendedProfiles appended;
    FLARE_RETURN_IF_ERROR(Append([&](Changes* changes) -> absl::Status {
      FLARE_ASSIGN(appended, profiles_.Write(batch, changes));
      return absl::OkStatus();
    }));
    return appended;
  }

  absl::Status AppendTraces(const model::TraceBatch& batch) override {
    return Append([&](Changes* changes) { return WriteSpans(batch, &interner_, changes); });
  }
  absl::Status AppendLogs(const model::LogBatch& batch) override {
    return Append([&](Changes* changes) { return WriteLogs(batch, &interner_, changes); });
  }
  absl::StatusOr<AppendedMetrics> AppendMetrics(const model::MetricBatch& batch) override {
    AppendedMetrics appended;
    FLARE_RETURN_IF_ERROR(Append([&](Changes* changes) -> absl::Status {
      FLARE_ASSIGN(appended.rejected_points,
                   WritePoints(batch, metric_series_max_, &interner_, changes));
      return absl::OkStatus();
    }));
    return appended;
  }

  absl::StatusOr<model::TraceBatch> SelectTrace(std::string_view trace_id) override {
    return ReadTrace(*database_, trace_id);
  }
  absl::StatusOr<model::TraceBatch> SelectSpans(const SpanQuery& query) override {
    return ReadSpans(*database_, query);
  }
  absl::StatusOr<model::LogBatch> SelectLogs(const LogQuery& query) override {
    return ReadLogs(*database_, query);
  }
  absl::StatusOr<model::MetricBatch> SelectMetrics(const MetricQuery& query) override {
    return ReadPoints(*database_, query);
  }

  absl::StatusOr<std::vector<Series>> ListSeries(const SeriesQuery& query) override {
    FLARE_ASSIGN(const auto found, FindSeries(*database_, query));
    std::vector<Series> list;
    list.reserve(found.size());
    for (const StoredSeries& series : found)
      list.push_back(Describe(series.envelope));
    return list;
  }

  absl::StatusOr<model::Batch> SelectProfiles(const ProfileQuery& query) override {
    return ReadProfiles(*database_, query);
  }

  absl::Status DropBefore(uint64_t oldest_nanos) override {
    const uint32_t hour = HourOf(oldest_nanos);
    database_->set_oldest_hour(std::max(hour, database_->oldest_hour()));
    FLARE_RETURN_IF_ERROR(commits_.Run([this, hour] {
      Changes changes(*database_);
      for (const Family family : kFamiliesByHour)
        changes.DeleteRange(family, SamplePrefix(0), SamplePrefix(hour));
      for (const auto& [level, hours] :
           {std::pair(RollupLevel::kMinutes, 1u), std::pair(RollupLevel::kHour, 1u),
            std::pair(RollupLevel::kDay, kHoursPerDay)}) {
        changes.DeleteRange(Family::kRollups, RollupKey{.level = level}.Encode(),
                            RollupKey{.level = level, .period = hour / hours}.Encode());
      }
      return ToStatus(database_->db().Write(rocksdb::WriteOptions(), &changes.batch()));
    }));
    return GiveBack(hour);
  }

  absl::Status Maintain(uint64_t now_nanos) override {
    if (now_nanos < kRollupGraceNanos + kNanosPerHour)
      return absl::OkStatus();
    const uint32_t last_hour = HourOf(now_nanos - kRollupGraceNanos) - 1;
    uint32_t rolled_hour = 0;
    {
      const std::lock_guard lock(mutex_);
      rolled_hour = profiles_.rolled_hour;
    }
    return BuildRollups(
        *database_, rolled_hour, last_hour,
        {.enter_hour =
             [this](uint32_t hour) {
               const std::lock_guard lock(mutex_);
               profiles_.rolled_hour = hour;
             },
         .write =
             [this](std::function<absl::Status()> task) { return commits_.Run(std::move(task)); }});
  }

  absl::StatusOr<StoreStats> Stats() override {
    StoreStats stats;
    stats.disk_bytes = database_->SizeOnDisk();
    for (const Family family : kFamiliesByHour) {
      const std::optional<HourSpan> hours = StoredHours(*database_, family);
      if (!hours.has_value())
        continue;
      const uint64_t oldest = uint64_t{hours->first} * kNanosPerHour;
      const uint64_t newest = (uint64_t{hours->last} + 1) * kNanosPerHour;
      stats.oldest_nanos = stats.oldest_nanos == 0 ? oldest : std::min(stats.oldest_nanos, oldest);
      stats.newest_nanos = std::max(stats.newest_nanos, newest);
    }
    const std::lock_guard lock(mutex_);
    stats.series = interner_.count(Table::kSeries);
    stats.stacks = interner_.count(Table::kStack);
    stats.memory_bytes = interner_.memory_bytes() + profiles_.memory_bytes();
    return stats;
  }

 private:
  // Numbers are given in the order in which changes are submitted, so both are one step.
  absl::Status Append(absl::FunctionRef<absl::Status(Changes*)> write) {
    CommitQueue::Ticket ticket;
    {
      const std::lock_guard lock(mutex_);
      FLARE_RETURN_IF_ERROR(MakeRoom());
      Changes changes(*database_);
      if (absl::Status status = write(&changes); !status.ok()) {
        // It may have numbered what is now not written. What was numbered before must be in the
        // database when it is asked for the next time.
        status.Update(commits_.Run([] { return absl::OkStatus(); }));
        Forget();
        return status;
      }
      FLARE_ASSIGN(ticket, commits_.Submit(std::move(changes), generation_));
    }
    return commits_.Wait(ticket);
  }

  // Before numbers are given: what a failed write has numbered is forgotten, and what has grown too
  // large too, once all of it is written.
  absl::Status MakeRoom() {
    if (const uint64_t generation = commits_.generation(); generation != generation_) {
      Forget();
      generation_ = generation;
    }
    const uint32_t today = Today();
    if (interner_.NeedsRoom(today)) {
      FLARE_RETURN_IF_ERROR(commits_.Run([] { return absl::OkStatus(); }));
      Forget();
      interner_.Prepare(today);
    }
    return absl::OkStatus();
  }

  // The place of what was dropped, which a deletion alone does not free.
  absl::Status GiveBack(uint32_t hour) {
    const std::string begin = SamplePrefix(0);
    const std::string end = SamplePrefix(hour);
    const rocksdb::Slice from = ToSlice(begin);
    const rocksdb::Slice to = ToSlice(end);
    FLARE_RETURN_IF_ERROR(database_->FlushAll());  // the log holds it too, until all is in tables
    for (const Family family : kFamiliesByHour) {
      FLARE_RETURN_IF_ERROR(ToStatus(
          rocksdb::DeleteFilesInRange(&database_->db(), database_->handle(family), &from, &to)));
      FLARE_RETURN_IF_ERROR(ToStatus(database_->db().CompactRange(
          rocksdb::CompactRangeOptions(), database_->handle(family), &from, &to)));
    }
    return absl::OkStatus();
  }

  void Forget() {
    interner_.Forget();
    profiles_.Forget();
  }

  const std::unique_ptr<Database> database_;
  CommitQueue commits_;
  std::mutex mutex_;  // of what follows
  Interner interner_;
  ProfileWriter profiles_;
  const uint64_t metric_series_max_;
  uint64_t generation_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenRocksStore(const RocksStoreOptions& options) {
  FLARE_ASSIGN(auto database,
               Database::Open({.directory = options.directory,
                               .memory = SharedMemory::Make(options.memory_bytes_max / 2)}));
  auto store = std::make_unique<RocksStore>(std::move(database), options);
  FLARE_RETURN_IF_ERROR(store->Open());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace flarestack::store
