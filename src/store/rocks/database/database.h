// SPDX-License-Identifier: Apache-2.0
//
// Wraps the parts of RocksDB that the store needs: families of keys, atomic batches, durable
// commits. Only the files of this folder use the library.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>
#include <rocksdb/write_buffer_manager.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "model/signal.h"
#include "store/disk_quota.h"
#include "store/rocks/cache/chunk_cache.h"
#include "store/rocks/cache/loaded_dictionary.h"
#include "store/rocks/cache/lru_cache.h"
#include "store/rocks/cache/record_cache.h"
#include "store/rocks/database/disk_shape.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// One kind of key each; see docs/formats/store.md. The names in database.cc are part of the format;
// the order here is not.
enum class Family : uint8_t {
  kMeta,        // singletons: format version, next numbers
  kDictionary,  // number -> content
  kIds,         // content id -> number
  kSeries,      // number -> series
  kPostings,    // attribute value -> series
  kSamples,     // hour, series -> chunk; operands are merged
  kRollups,     // level, time, series -> sums of stacks
  kLinks,       // hour, trace id, series: where the samples of a trace are
  kProfileIds,  // hour, profile id: profiles already stored
  kSpans,       // hour, trace, span -> span
  kSpanIndex,   // hour, resource, start, span -> fields used by searches
  kLogs,        // hour, resource, time -> record
  kLogTraces,   // hour, trace, span, log record
  kMetrics,     // number -> series of points
  kMetricPostings,
  kPoints,  // hour, series, time -> point
};
inline constexpr size_t kFamilyCount = 16;

// The name in the files.
std::string_view NameOf(Family family);

// Keyed by a hash of the query. A hash collision gives no wrong result: the query only finds fewer
// of the entries it needs.
using DictionaryCache = LruCache<uint64_t, LoadedDictionary>;

// Memory shared by all databases of a process.
struct SharedMemory {
  std::shared_ptr<rocksdb::Cache> block_cache;
  std::shared_ptr<rocksdb::WriteBufferManager> write_buffers;  // charged to the cache

  static SharedMemory Make(uint64_t bytes_max);
};

// The hour before which the data of each signal was dropped. Entries shared by signals are dropped
// when their file is rewritten (age_filter.h). Relaxed: a stale value only keeps an entry longer.
class OldestHours {
 public:
  uint32_t of(model::Signal signal) const {
    return hours_[static_cast<size_t>(signal)].load(std::memory_order_relaxed);
  }
  void Raise(model::Signal signal, uint32_t hour) {
    if (hour > of(signal))
      hours_[static_cast<size_t>(signal)].store(hour, std::memory_order_relaxed);
  }
  // The value of the signal with the longest retention, which shared entries must outlive.
  uint32_t of_all() const {
    uint32_t oldest = UINT32_MAX;
    for (const model::Signal signal : model::kSignals)
      oldest = std::min(oldest, of(signal));
    return oldest;
  }

 private:
  std::array<std::atomic<uint32_t>, model::kSignals.size()> hours_ = {};
};

struct DatabaseOptions {
  std::string directory;
  SharedMemory memory;
  DiskShape shape;
  int open_files_max = 512;
  uint64_t record_cache_bytes = 1 << 20;
  uint64_t chunk_cache_bytes = 0;
  uint64_t dictionary_cache_bytes = 0;
  bool is_one_of_many = false;  // one of many small databases in this process
  bool must_exist = false;
  bool read_only = false;
  bool is_tolerant = false;                   // opens despite broken or missing tables
  bool is_locked = false;                     // the caller holds a DirectoryLock
  std::shared_ptr<DiskQuota> quota;           // null: no limit
  std::shared_ptr<OldestHours> oldest_hours;  // if set, from an earlier opening
  rocksdb::Env* files = nullptr;              // if set, replaces retryable_files.h
};

absl::Status ToStatus(const rocksdb::Status& status);
inline rocksdb::Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view ToView(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

class Changes;

class Database {
 public:
  // Returns kFailedPrecondition if the directory is in use or has a newer format, kDataLoss with
  // the name of a file that cannot be read.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const DatabaseOptions& options);
  ~Database();
  Database(const Database&) = delete;

  // Returns nullopt if the key does not exist.
  absl::StatusOr<std::optional<std::string>> Get(Family family, std::string_view key) const;

  std::unique_ptr<rocksdb::Iterator> NewIterator(Family family) const;
  // Iterates only over keys that share the prefix of the seek key, for families whose Bloom filters
  // cover that prefix (kSpans, kLogTraces, kLinks).
  std::unique_ptr<rocksdb::Iterator> NewPrefixIterator(Family family) const;
  rocksdb::ColumnFamilyHandle* handle(Family family) const {
    return handles_[static_cast<size_t>(family)];
  }
  rocksdb::DB& db() const { return *db_; }

  uint64_t TableBytes(Family family) const;  // in use
  uint64_t SizeOnDisk() const;               // tables in use and log
  uint64_t WaitingBytes() const;             // of tables awaiting compaction
  enum class Wait : bool { kNo, kYes };
  absl::Status FlushAll(Wait wait = Wait::kYes) const;
  // Rewrites the tables of a key range without deleted entries. A null bound is no bound.
  absl::Status Compact(Family family, const rocksdb::Slice* from, const rocksdb::Slice* to) const;

  // All changes are written here. After a failure, nothing is written before Resume() succeeds:
  // RocksDB 7.8 aborts the process when it appends to a log whose last write failed.
  rocksdb::Status Write(const rocksdb::WriteOptions& options, Changes* changes) const;
  bool has_failed_write() const;
  // Returns a fatal error if the database must be reopened. Harmless when no write has failed.
  rocksdb::Status Resume() const;

  // Waits until the write buffers of the process are within their share. RocksDB starts flushing in
  // time, but accepts more data in between.
  absl::Status AwaitWriteBuffers() const;

  // Caches of the dictionary and the samples. They only mirror stored data and are not part of the
  // state.
  RecordCache& records() const { return *records_; }
  ChunkCache& chunks() const { return *chunks_; }
  DictionaryCache& dictionaries() const { return *dictionaries_; }

  DiskQuota* quota() const { return quota_.get(); }  // null: no limit
  const OldestHours& oldest_hours() const { return *oldest_hours_; }
  OldestHours& oldest_hours() { return *oldest_hours_; }

 private:
  Database() = default;
  absl::Status Upgrade(const std::vector<rocksdb::ColumnFamilyHandle*>& retired);
  uint64_t SumOf(const std::string& property) const;  // over all families
  uint64_t WriteBufferBytes() const;
  uint64_t CurrentLog() const;  // its number

  std::shared_ptr<DiskQuota> quota_;
  std::shared_ptr<rocksdb::WriteBufferManager> write_buffers_;
  std::shared_ptr<OldestHours> oldest_hours_;
  std::unique_ptr<RecordCache> records_;
  std::unique_ptr<ChunkCache> chunks_;
  std::unique_ptr<DictionaryCache> dictionaries_;
  std::vector<std::unique_ptr<rocksdb::CompactionFilter>> age_filters_;
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilyCount> handles_ = {};

  struct FailedWrite {
    rocksdb::Status status;
    uint64_t log = 0;
  };
  mutable base::Mutex mutex_;
  mutable std::optional<FailedWrite> failed_write_ FLARE_GUARDED_BY(mutex_);
};

// A batch of changes that become visible atomically.
class Changes {
 public:
  explicit Changes(const Database& database) : database_(database) {}

  void Put(Family family, std::string_view key, std::string_view value) {
    Note(batch_.Put(database_.handle(family), ToSlice(key), ToSlice(value)));
  }
  void Merge(Family family, std::string_view key, std::string_view operand) {
    Note(batch_.Merge(database_.handle(family), ToSlice(key), ToSlice(operand)));
  }
  void Delete(Family family, std::string_view key) {
    Note(batch_.Delete(database_.handle(family), ToSlice(key)));
  }
  void DeleteRange(Family family, std::string_view begin, std::string_view end) {
    Note(batch_.DeleteRange(database_.handle(family), ToSlice(begin), ToSlice(end)));
  }

  bool empty() const { return batch_.Count() == 0; }
  size_t bytes() const { return batch_.GetDataSize(); }
  rocksdb::WriteBatch& batch() { return batch_; }
  const absl::Status& status() const { return status_; }

 private:
  void Note(const rocksdb::Status& status) {
    if (!status.ok() && status_.ok())
      status_ = ToStatus(status);
  }

  const Database& database_;
  rocksdb::WriteBatch batch_;
  absl::Status status_;
};

}  // namespace flarestack::store::rocks
