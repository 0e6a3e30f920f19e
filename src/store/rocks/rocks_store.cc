// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/rocks_store.h"

#include <atomic>
#include <chrono>
#include <filesystem>

#include "base/mutex.h"
#include "base/status.h"
#include "model/signal.h"
#include "store/rocks/database/caps.h"
#include "store/rocks/database/commit_queue.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/directory_lock.h"
#include "store/rocks/database/entry_stamp.h"
#include "store/rocks/database/notes.h"
#include "store/rocks/database/room_to_open.h"
#include "store/rocks/database/store_memory.h"
#include "store/rocks/hour_drop.h"
#include "store/rocks/profiles/chunk_scan.h"
#include "store/rocks/profiles/profile_reader.h"
#include "store/rocks/profiles/profile_writer.h"
#include "store/rocks/profiles/rollups.h"
#include "store/rocks/reopening_store.h"
#include "store/rocks/signals/signals.h"

namespace flarestack::store {
namespace {

using namespace rocks;

// Samples of an hour keep arriving for a while after it ends.
constexpr uint64_t kRollupGraceNanos = 10 * kNanosPerMinute;

// If shared entries exceed this fraction of the store (1/8), they are rewritten for each hour that
// the disk limit drops.
constexpr uint64_t kSharedPartMax = 8;

// After this idle time, a store that shares its memory flushes its buffers.
constexpr uint64_t kIdleNanos = kNanosPerMinute;

class RocksStore : public Store {
 public:
  RocksStore(std::unique_ptr<Database> database, std::shared_ptr<StoreMemory> memory,
             const RocksStoreOptions& options, std::function<void()> on_broken)
      : memory_(std::move(memory)),
        database_(std::move(database)),
        ids_(*database_),
        commits_(*database_, options.sync_each_commit ? Durability::kFsync : Durability::kOs,
                 std::move(on_broken)),
        interner_(*database_),
        profiles_(*database_, &interner_, options.series_max),
        metric_series_max_(options.metric_series_max),
        notes_({.count_max = options.notes_max, .sync = options.sync_each_commit}) {
    memory_->AddStore();
  }
  ~RocksStore() override {
    WriteNewIds();
    memory_->RemoveStore();
  }

  absl::Status Open() {
    FLARE_ASSIGN(const uint32_t rolled_hour, ReadLastRollupHour(*database_));
    RunOnIds([this] { ids_.CatchUp(); });
    const base::MutexLock lock(mutex_);
    profiles_.rolled_hour = rolled_hour;
    return interner_.Open();
  }

  absl::StatusOr<AppendedProfiles> AppendProfiles(const model::Batch& batch) override {
    AppendedProfiles appended;
    FLARE_RETURN_IF_ERROR(
        Append(NewestNanos(batch), [&](Changes* changes) FLARE_REQUIRES(mutex_) -> absl::Status {
          FLARE_ASSIGN(appended, profiles_.Write(batch, changes));
          return absl::OkStatus();
        }));
    return appended;
  }

  absl::Status AppendTraces(const model::TraceBatch& batch) override {
    return Append(NewestNanos(batch), [&](Changes* changes) FLARE_REQUIRES(mutex_) {
      return WriteSpans(batch, &interner_, changes);
    });
  }
  absl::Status AppendLogs(const model::LogBatch& batch) override {
    return Append(NewestNanos(batch), [&](Changes* changes) FLARE_REQUIRES(mutex_) {
      return WriteLogs(batch, &interner_, changes);
    });
  }
  absl::StatusOr<AppendedMetrics> AppendMetrics(const model::MetricBatch& batch) override {
    AppendedMetrics appended;
    FLARE_RETURN_IF_ERROR(
        Append(NewestNanos(batch), [&](Changes* changes) FLARE_REQUIRES(mutex_) -> absl::Status {
          FLARE_ASSIGN(appended.rejected_points,
                       WritePoints(batch, metric_series_max_, &interner_, changes));
          return absl::OkStatus();
        }));
    return appended;
  }

  absl::StatusOr<model::TraceBatch> SelectTrace(const TraceQuery& query) override {
    return ReadTrace(*database_, query);
  }
  absl::StatusOr<SelectedSpans> SelectSpans(const SpanQuery& query) override {
    return ReadSpans(*database_, query);
  }
  absl::StatusOr<SelectedLogs> SelectLogs(const LogQuery& query) override {
    return ReadLogs(*database_, query);
  }
  absl::StatusOr<model::MetricBatch> SelectMetrics(const MetricQuery& query) override {
    return ReadPoints(*database_, query);
  }
  absl::StatusOr<std::vector<MetricSeries>> ListMetrics(const MetricQuery& query) override {
    return ReadMetricSeries(*database_, query);
  }

  absl::StatusOr<std::vector<std::string>> ResourceKeys() override {
    return rocks::ResourceKeys(*database_);
  }
  absl::StatusOr<uint64_t> NearestHour(const SeriesQuery& query, uint64_t time_nanos) override {
    FLARE_ASSIGN(const auto found, FindSeries(*database_, query));
    std::vector<uint32_t> numbers;
    for (const StoredSeries& series : found)
      numbers.push_back(series.number);
    const std::optional<uint32_t> hour = NearestHourOf(*database_, numbers, HourOf(time_nanos));
    return hour.has_value() ? uint64_t{*hour} * kNanosPerHour : 0;
  }
  absl::StatusOr<std::vector<Series>> ListSeries(const SeriesQuery& query) override {
    FLARE_ASSIGN(const auto found, FindSeries(*database_, query));
    std::vector<Series> list;
    list.reserve(found.size());
    for (const StoredSeries& series : found) {
      list.push_back(Describe(series.envelope));
      list.back().last_seen_nanos =
          uint64_t{LastMinuteOf(*database_, series.number)} * kNanosPerMinute;
    }
    return list;
  }

  absl::StatusOr<model::Batch> SelectProfiles(const ProfileQuery& query) override {
    return ReadProfiles(*database_, query);
  }

  absl::Status DropBefore(const SignalTimes& oldest) override {
    RaiseOldestHours(oldest);
    std::vector<model::Signal> dropped;
    for (const model::Signal signal : model::kSignals) {
      if (HasBefore(signal, HourOf(oldest[signal])))
        dropped.push_back(signal);
    }
    if (dropped.empty())
      return absl::OkStatus();
    FLARE_RETURN_IF_ERROR(commits_.Run([&] { return DeleteDurably(dropped, oldest); }));
    for (const model::Signal signal : dropped)
      FLARE_RETURN_IF_ERROR(ReclaimHours(*database_, signal, HourOf(oldest[signal])));
    return ReclaimSharedIfWorthIt();
  }

  absl::StatusOr<std::vector<HourBytes>> BytesByHour() override {
    FLARE_RETURN_IF_ERROR(database_->FlushAll());
    return ReadBytesByHour(*database_);
  }

  absl::Status Maintain(uint64_t now_nanos) override {
    RunOnIds([this] {
      if (ids_.is_behind())
        ids_.CatchUp();
    });
    if (memory_->is_shared())
      FLARE_RETURN_IF_ERROR(MakeRoomForOthers(now_nanos));
    if (now_nanos < kRollupGraceNanos + kNanosPerHour)
      return absl::OkStatus();
    const uint32_t last_hour = HourOf(now_nanos - kRollupGraceNanos) - 1;
    const absl::Status status = BuildRollups(
        *database_, last_hour,
        {.enter_hour =
             [this](uint32_t hour) {
               const base::MutexLock lock(mutex_);
               profiles_.rolled_hour = std::max(profiles_.rolled_hour, hour);
             },
         .write =
             [this](std::function<absl::Status()> task) { return commits_.Run(std::move(task)); }});
    // Near the disk limit, skip roll-ups: they only save time.
    return absl::IsResourceExhausted(status) ? absl::OkStatus() : status;
  }

  // Runs in the order of all writes, because the stored notes decide what is written.
  absl::Status AddNote(std::string_view key, std::string_view text) override {
    FLARE_RETURN_IF_ERROR(CheckNote(key, text));
    return commits_.Run([&] { return WriteNote(*database_, notes_, key, text); });
  }
  absl::StatusOr<std::optional<std::string>> FindNote(std::string_view key) override {
    return ReadNote(*database_, key);
  }

  // Each write advances the sequence number of RocksDB. Expired data involves no write, so the
  // oldest hours are added.
  uint64_t Watermark() override {
    uint64_t mark = database_->db().GetLatestSequenceNumber();
    for (const model::Signal signal : model::kSignals)
      mark += database_->oldest_hours().of(signal);
    return mark;
  }

  absl::StatusOr<StoreStats> Stats() override {
    StoreStats stats;
    stats.disk_bytes = database_->SizeOnDisk();
    stats.waiting_bytes = database_->WaitingBytes();
    for (const model::Signal signal : model::kSignals) {
      const std::optional<HourSpan> hours = StoredHours(*database_, MainFamily(signal));
      if (!hours.has_value())
        continue;
      const uint64_t oldest = uint64_t{hours->first} * kNanosPerHour;
      const uint64_t newest = (uint64_t{hours->last} + 1) * kNanosPerHour;
      stats.oldest[signal] = oldest;
      stats.newest[signal] = newest;
      stats.oldest_nanos = stats.oldest_nanos == 0 ? oldest : std::min(stats.oldest_nanos, oldest);
      stats.newest_nanos = std::max(stats.newest_nanos, newest);
    }
    const base::MutexLock lock(mutex_);
    stats.series = interner_.count(Table::kSeries);
    stats.stacks = interner_.count(Table::kStack);
    stats.memory_bytes = interner_.memory_bytes() + profiles_.memory_bytes();
    return stats;
  }

 private:
  // Assigns numbers and submits the changes under one lock, so that both happen in the same order.
  // Calls `write` with mutex_ held.
  absl::Status Append(uint64_t newest_nanos, absl::FunctionRef<absl::Status(Changes*)> write)
      FLARE_EXCLUDES(mutex_) {
    CommitQueue::Ticket ticket;
    {
      const base::MutexLock lock(mutex_);
      is_idle_ = false;
      FLARE_RETURN_IF_ERROR(CheckQuota(0));
      FLARE_RETURN_IF_ERROR(ForgetIfTooLarge(HourOf(newest_nanos)));
      Changes changes(*database_);
      absl::Status status = write(&changes);
      if (status.ok())
        status = CheckQuota(changes.bytes() + interner_.NewIdBytes());
      if (!status.ok()) {
        // `write` may have numbered entries that are now not written, so forget them. Entries
        // numbered earlier must be in the database by the next lookup.
        IndexAndClear();
        return status;
      }
      const uint64_t bytes = changes.bytes();
      FLARE_ASSIGN(ticket, commits_.Submit(std::move(changes), generation_));
      if (DiskQuota* const quota = database_->quota(); quota != nullptr)
        quota->AddWritten(bytes);
      if (interner_.HasManyNewIds()) {
        commits_.Post([this, ids = interner_.TakeNewIds()]() mutable {
          ids_.Write(std::move(ids));
          return absl::OkStatus();
        });
      }
    }
    return commits_.Wait(ticket);
  }

  absl::Status CheckQuota(uint64_t bytes) const {
    DiskQuota* const quota = database_->quota();
    if (quota == nullptr || quota->HasRoomFor(bytes))
      return absl::OkStatus();
    return absl::ResourceExhaustedError(
        base::StrCat("disk limit of ", quota->bytes_max(), " bytes reached; retry later"));
  }

  // Called before numbers are assigned. Forgets the numbers of a failed write. Also forgets all
  // numbers if they use too much memory, after writing them.
  absl::Status ForgetIfTooLarge(uint32_t newest_hour) FLARE_REQUIRES(mutex_) {
    if (const uint64_t generation = commits_.generation(); generation != generation_) {
      IndexAndClear();
      generation_ = generation;
    }
    const uint32_t stamp =
        NextStamp(stamp_, std::max(newest_hour, database_->oldest_hours().of_all()));
    interner_.set_memory_bytes_max(memory_->numbers_bytes_max());
    if (interner_.NeedsRoom(stamp)) {
      WriteNewIds();
      Forget();
      interner_.set_stamp(stamp);
      stamp_ = stamp;
    }
    return absl::OkStatus();
  }

  // Returns after all earlier changes are written as well.
  void WriteNewIds() FLARE_REQUIRES(mutex_) {
    IdsToWrite ids = interner_.TakeNewIds();
    RunOnIds([this, &ids] {
      if (!ids.ids.empty())
        ids_.Write(std::move(ids));
      if (ids_.is_behind())
        ids_.CatchUp();
    });
  }

  // After a failure: writes the ids of all entries in the database, as far as possible, and forgets
  // the rest.
  void IndexAndClear() FLARE_REQUIRES(mutex_) {
    RunOnIds([this] { ids_.CatchUp(); });
    Forget();
  }

  void RunOnIds(absl::FunctionRef<void()> task) {
    commits_
        .Run([&] {
          task();
          return absl::OkStatus();
        })
        .IgnoreError();  // it cannot fail
  }

  // An idle store gives up memory that active stores can use.
  absl::Status MakeRoomForOthers(uint64_t now_nanos) {
    {
      const base::MutexLock lock(mutex_);
      FLARE_RETURN_IF_ERROR(ForgetIfTooLarge(stamp_));
      if (!is_idle_) {
        is_idle_ = true;
        idle_since_nanos_ = now_nanos;
        is_flushed_ = false;
      }
      if (is_flushed_ || now_nanos < idle_since_nanos_ + kIdleNanos)
        return absl::OkStatus();
      is_flushed_ = true;
    }
    return database_->FlushAll();
  }

  // Allows entries that only older data uses to be dropped. Takes the lock: data appended earlier
  // on top of them precedes the deletion in the queue, and later data stamps them again.
  void RaiseOldestHours(const SignalTimes& oldest) {
    const base::MutexLock lock(mutex_);
    for (const model::Signal signal : model::kSignals)
      database_->oldest_hours().Raise(signal, HourOf(oldest[signal]));
  }

  // Whether anything of the signal is older. Late data may be older than what was dropped before.
  bool HasBefore(model::Signal signal, uint32_t hour) const {
    const std::optional<HourSpan> stored = StoredHours(*database_, MainFamily(signal));
    return stored.has_value() && stored->first < hour;
  }

  // Synced: what was dropped must not come back after a power cut. The deletion gets a table of its
  // own. In one with new data it would make that table reach from the first hour to the last, and
  // the next compaction rewrite everything.
  absl::Status DeleteDurably(const std::vector<model::Signal>& signals, const SignalTimes& oldest) {
    Changes changes(*database_);
    for (const model::Signal signal : signals)
      DeleteHours(signal, HourOf(oldest[signal]), &changes);
    FLARE_RETURN_IF_ERROR(changes.status());
    FLARE_RETURN_IF_ERROR(database_->FlushAll());
    rocksdb::WriteOptions sync;
    sync.sync = true;
    FLARE_RETURN_IF_ERROR(ToStatus(database_->Write(sync, &changes)));
    return database_->FlushAll();
  }

  // The cost of rewriting shared entries grows with their size, so rewrite only if it pays off.
  absl::Status ReclaimSharedIfWorthIt() {
    const uint32_t oldest = database_->oldest_hours().of_all();
    const uint32_t hours = oldest - std::min(oldest, reclaimed_hour_.load());
    const bool is_large =
        database_->TableBytes(Family::kDictionary) + database_->TableBytes(Family::kIds) >
        database_->SizeOnDisk() / kSharedPartMax;
    const bool is_pressed = database_->quota() != nullptr && is_large;
    if (hours < (is_pressed ? 1 : kHoursPerDay))
      return absl::OkStatus();
    reclaimed_hour_ = oldest;
    return ReclaimShared(*database_);
  }

  void Forget() FLARE_REQUIRES(mutex_) {
    interner_.Forget();
    profiles_.Forget();
  }

  const std::shared_ptr<StoreMemory> memory_;
  const std::unique_ptr<Database> database_;
  IdWriter ids_;  // used only by tasks of the queue
  CommitQueue commits_;
  base::Mutex mutex_;
  Interner interner_ FLARE_GUARDED_BY(mutex_);
  ProfileWriter profiles_ FLARE_GUARDED_BY(mutex_);
  const uint64_t metric_series_max_;
  const NoteOptions notes_;
  uint64_t generation_ FLARE_GUARDED_BY(mutex_) = 0;
  uint32_t stamp_ FLARE_GUARDED_BY(mutex_) = 0;       // of entries written now (entry_stamp.h)
  bool is_idle_ FLARE_GUARDED_BY(mutex_) = false;     // nothing appended since idle_since_nanos_
  bool is_flushed_ FLARE_GUARDED_BY(mutex_) = false;  // and everything is in tables
  uint64_t idle_since_nanos_ FLARE_GUARDED_BY(mutex_) = 0;
  std::atomic<uint32_t> reclaimed_hour_ = 0;  // shared entries were dropped up to here
};

// State that survives reopening a store.
struct KeptParts {
  std::shared_ptr<void> hold;  // lock on the directory
  std::shared_ptr<StoreMemory> memory;
  std::shared_ptr<OldestHours> oldest_hours;
};

enum class Opening {
  kFirst,
  kReopen,  // never creates a store: an empty one would be mistaken for the lost one
};

absl::StatusOr<std::unique_ptr<Store>> OpenOnce(const RocksStoreOptions& options,
                                                const KeptParts& kept, Opening opening,
                                                std::function<void()> on_broken) {
  FLARE_ASSIGN(
      auto database,
      Database::Open({.directory = options.directory,
                      .memory = kept.memory->caches(),
                      .shape = DiskShape::For(options.caps.disk_bytes, kept.memory->stores_max()),
                      .open_files_max = kept.memory->open_files_max(),
                      .record_cache_bytes = kept.memory->record_bytes_max(),
                      .chunk_cache_bytes = kept.memory->chunk_bytes_max(),
                      .dictionary_cache_bytes = kept.memory->dictionary_bytes_max(),
                      .is_one_of_many = kept.memory->is_shared(),
                      .must_exist = opening == Opening::kReopen,
                      .is_locked = true,
                      .quota = options.quota,
                      .oldest_hours = kept.oldest_hours,
                      .files = options.files}));
  NoteCaps(*database, options.caps);
  auto store =
      std::make_unique<RocksStore>(std::move(database), kept.memory, options, std::move(on_broken));
  FLARE_RETURN_IF_ERROR(store->Open());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace

std::shared_ptr<StoreMemory> MakeStoreMemory(uint64_t bytes_max, uint32_t stores_max) {
  return std::make_shared<StoreMemory>(bytes_max, stores_max);
}

absl::StatusOr<std::shared_ptr<void>> LockDirectory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return absl::FailedPreconditionError(
        base::StrCat("cannot create the data directory ", directory, ": ", error.message()));
  }
  FLARE_ASSIGN(DirectoryLock lock, DirectoryLock::TakeEvenIfEmpty(directory));
  return std::make_shared<DirectoryLock>(std::move(lock));
}

bool HoldsStore(const std::string& directory) { return RequireData(directory).ok(); }

absl::StatusOr<std::unique_ptr<Store>> OpenRocksStore(const RocksStoreOptions& options) {
  KeptParts kept;
  kept.memory =
      options.memory != nullptr ? options.memory : MakeStoreMemory(options.memory_bytes_max, 1);
  kept.oldest_hours = std::make_shared<OldestHours>();
  FLARE_ASSIGN(kept.hold, LockDirectory(options.directory));
  ReopeningOptions reopening;
  reopening.open = [options, kept, opening = Opening::kFirst](auto on_broken) mutable {
    return OpenOnce(options, kept, std::exchange(opening, Opening::kReopen), std::move(on_broken));
  };
  reopening.may_open = [options] { return CheckRoomToOpen(options.directory); };
  reopening.on_attempt = [options](const absl::Status& status) {
    if (options.on_reopening)
      options.on_reopening(status);
  };
  return OpenReopeningStore(std::move(reopening));
}

}  // namespace flarestack::store
