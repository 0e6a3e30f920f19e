// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/rocks_store.h"

#include <chrono>
#include <mutex>

#include "base/status.h"
#include "store/rocks/commit_queue.h"
#include "store/rocks/database.h"
#include "store/rocks/profile_reader.h"
#include "store/rocks/profile_writer.h"

namespace flarestack::store {
namespace {

using namespace rocks;

uint32_t Today() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint32_t>(std::chrono::duration_cast<std::chrono::hours>(now).count() / 24);
}

class RocksStore : public Store {
 public:
  RocksStore(std::unique_ptr<Database> database, const RocksStoreOptions& options)
      : database_(std::move(database)),
        commits_(*database_, options.sync_each_commit ? Durability::kFsync : Durability::kOs),
        writer_(*database_, {.interning_bytes_max = options.memory_bytes_max / 4,
                             .series_max = options.series_max}) {}

  absl::Status Open() { return writer_.Open(); }

  absl::StatusOr<AppendedProfiles> AppendProfiles(const model::Batch& batch) override {
    AppendedProfiles appended;
    CommitQueue::Ticket ticket;
    {
      const std::lock_guard lock(mutex_);
      FLARE_RETURN_IF_ERROR(MakeRoom());
      Changes changes(*database_);
      auto written = writer_.Write(batch, &changes);
      if (!written.ok()) {
        writer_.Forget();  // it may have numbered what is now not written
        return std::move(written).status();
      }
      appended = *written;
      FLARE_ASSIGN(ticket, commits_.Submit(std::move(changes), generation_));
    }
    FLARE_RETURN_IF_ERROR(commits_.Wait(ticket));
    return appended;
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
    return commits_.Run([this, hour] {
      Changes changes(*database_);
      changes.DeleteRange(Family::kSamples, SamplePrefix(0), SamplePrefix(hour));
      return ToStatus(database_->db().Write(rocksdb::WriteOptions(), &changes.batch()));
    });
  }

  absl::StatusOr<StoreStats> Stats() override {
    StoreStats stats;
    stats.disk_bytes = database_->SizeOnDisk();
    if (const auto hours = StoredHours(*database_); hours.has_value()) {
      stats.oldest_nanos = uint64_t{hours->first} * kNanosPerHour;
      stats.newest_nanos = uint64_t{hours->last + 1} * kNanosPerHour;
    }
    const std::lock_guard lock(mutex_);
    stats.memory_bytes = writer_.memory_bytes();
    return stats;
  }

 private:
  // Before numbers are given: what a failed write has numbered is forgotten, and what has grown too
  // large too, once all of it is written.
  absl::Status MakeRoom() {
    if (const uint64_t generation = commits_.generation(); generation != generation_) {
      writer_.Forget();
      generation_ = generation;
    }
    const uint32_t today = Today();
    if (writer_.NeedsRoom(today)) {
      FLARE_RETURN_IF_ERROR(commits_.Run([] { return absl::OkStatus(); }));
      writer_.Prepare(today);
    }
    return absl::OkStatus();
  }

  const std::unique_ptr<Database> database_;
  CommitQueue commits_;
  std::mutex mutex_;
  ProfileWriter writer_;
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
