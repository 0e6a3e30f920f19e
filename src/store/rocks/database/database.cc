// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/database.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_manager.h>
#include <rocksdb/table.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/status.h"
#include "model/signal_batch.h"
#include "store/rocks/database/age_filter.h"
#include "store/rocks/database/chunk_merge.h"
#include "store/rocks/database/format_upgrade.h"
#include "store/rocks/database/info_log.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/database/retryable_files.h"

namespace flarestack::store::rocks {
namespace {

// The names are part of the file format: add to them, but never change them.
constexpr std::array<const char*, kFamilyCount> kFamilyNames = {
    "default",
    "dictionary",
    "ids",
    "series",
    "postings",
    "samples",
    "rollups",
    "links_by_hour",
    "profile_ids_by_hour",
    "spans_by_hour",
    "span_index",
    "logs",
    "log_traces_by_hour",
    "metrics",
    "metric_postings",
    "points",
};

// Each file is rewritten at least this often, which drops its expired entries.
constexpr uint64_t kRewriteSeconds = 86'400;

// RocksDB does not report when a buffer has been flushed.
constexpr std::chrono::milliseconds kBufferPoll{2};
constexpr std::chrono::milliseconds kBufferWaitMax{200};

constexpr std::string_view kFormatKey = "format";
constexpr std::string_view kFormat = "3";
constexpr std::string_view kUpgradedFormat = "2";  // format_upgrade.h
constexpr std::string_view kNeedsUpgrade =
    "the data has format 2; start a server on it once to upgrade it";

// Growth step of write buffers. With the default of 1 MiB per family and database, many databases
// would exhaust their shared budget before storing anything.
constexpr size_t kSmallArenaBlock = 32 << 10;

// Length of the key prefix (hour and trace) that Bloom filters cover in addition to the whole key.
// 0: none.
size_t FilteredPrefixBytes(Family family) {
  switch (family) {
    case Family::kSpans:
    case Family::kLogTraces:
      return sizeof(uint32_t) + model::kTraceIdBytes;
    case Family::kLinks:
      return sizeof(uint32_t) + kLinkPrefixBytes;
    default:
      return 0;
  }
}

rocksdb::ColumnFamilyOptions FamilyOptions(Family family, const DatabaseOptions& from) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = from.memory.block_cache;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.cache_index_and_filter_blocks = true;  // so that they count against the cap
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.format_version = 5;
  // Chunks compress best next to similar chunks.
  table.block_size = family == Family::kSamples || family == Family::kRollups ? 64 << 10 : 16 << 10;

  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kZSTD;
  options.bottommost_compression = rocksdb::kZSTD;
  options.bottommost_compression_opts.level = 6;
  options.bottommost_compression_opts.enabled = true;
  options.level_compaction_dynamic_level_bytes = true;
  options.write_buffer_size = from.shape.buffer_bytes;
  options.target_file_size_base = from.shape.table_bytes;
  options.max_compaction_bytes = from.shape.compaction_bytes;
  if (from.is_one_of_many)
    options.arena_block_size = kSmallArenaBlock;
  options.max_bytes_for_level_base = from.shape.level_bytes;
  // All L0 tables are compacted together, which needs their size again in free space.
  options.level0_stop_writes_trigger = from.shape.level0_files_max;
  options.level0_slowdown_writes_trigger = from.shape.level0_files_max * 5 / 9;
  if (const size_t bytes = FilteredPrefixBytes(family); bytes > 0)
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(bytes));
  if (family == Family::kIds) {
    // Hashes do not compress.
    options.compression = rocksdb::kNoCompression;
    options.bottommost_compression = rocksdb::kNoCompression;
    // Each of its tables overlaps all others.
    options.level0_file_num_compaction_trigger = std::max(4, from.shape.level0_files_max / 4);
  }
  if (family == Family::kSamples)
    options.merge_operator = std::make_shared<ChunkMerge>();
  return options;
}

rocksdb::DBOptions ProcessOptions(const DatabaseOptions& from) {
  rocksdb::DBOptions options;
  options.env = from.is_locked ? RetryableFilesUnderLock() : RetryableFiles();
  if (from.files != nullptr)
    options.env = from.files;
  options.create_if_missing = !from.must_exist;
  options.create_missing_column_families = true;
  options.write_buffer_manager = from.memory.write_buffers;
  options.max_background_jobs = 2;
  options.max_open_files = from.open_files_max;
  options.bytes_per_sync = 1 << 20;
  options.wal_bytes_per_sync = 1 << 20;
  options.max_total_wal_size = from.shape.log_bytes_max;
  options.max_manifest_file_size = from.shape.manifest_bytes_max;
  options.manifest_preallocation_size =
      std::min<size_t>(options.manifest_preallocation_size, from.shape.manifest_bytes_max / 4);
  options.info_log =
      from.read_only ? MakeSilentLog() : MakeInfoLog(from.directory, from.shape.info_log_bytes_max);
  options.recycle_log_file_num = 0;
  options.paranoid_checks = !from.is_tolerant;
  // Lets RocksDB resume automatically once the disk has space again.
  options.sst_file_manager.reset(rocksdb::NewSstFileManager(options.env));
  return options;
}

absl::Status NoteFormat(const Database& database) {
  rocksdb::WriteOptions sync;
  sync.sync = true;
  return ToStatus(database.db().Put(sync, database.handle(Family::kMeta), ToSlice(kFormatKey),
                                    ToSlice(kFormat)));
}

// Call after retired families have been moved.
absl::Status CheckFormat(const Database& database, bool read_only) {
  FLARE_ASSIGN(const std::optional<std::string> format, database.Get(Family::kMeta, kFormatKey));
  if (format == kFormat)
    return absl::OkStatus();
  if (format == kUpgradedFormat && !read_only)
    return NoteFormat(database);
  if (format == kUpgradedFormat)
    return absl::FailedPreconditionError(std::string(kNeedsUpgrade));
  if (format.has_value()) {
    return absl::FailedPreconditionError(
        base::StrCat("the data has format ", *format, ", this program supports format ", kFormat));
  }
  if (read_only)
    return absl::FailedPreconditionError("not a flarestack data directory");
  return NoteFormat(database);
}

absl::Status ExplainOpen(const rocksdb::Status& status, const std::string& directory) {
  const std::string text = status.ToString();
  if (text.find("lock") != std::string::npos && status.IsIOError()) {
    return absl::FailedPreconditionError(
        base::StrCat("another process uses the data directory ", directory));
  }
  return base::WithContext(base::StrCat("data directory ", directory), ToStatus(status));
}

// Point-in-time recovery replays a log that lost its end, as after a power failure, up to that
// point. It rejects the state left by a kill during recovery from a failed write: a log that ends
// inside the failed record, and a newer table. No acknowledged data comes after such an end, so the
// second mode may continue with the next log. It still rejects any other corruption.
rocksdb::Status OpenWithLogs(const DatabaseOptions& from,
                             const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                             std::vector<rocksdb::ColumnFamilyHandle*>* handles, rocksdb::DB** db) {
  const auto open = [&](rocksdb::WALRecoveryMode mode) {
    rocksdb::DBOptions options = ProcessOptions(from);
    options.wal_recovery_mode = mode;
    return from.read_only
               ? rocksdb::DB::OpenForReadOnly(options, from.directory, families, handles, db)
               : rocksdb::DB::Open(options, from.directory, families, handles, db);
  };
  rocksdb::Status status = open(rocksdb::WALRecoveryMode::kPointInTimeRecovery);
  if (!status.IsCorruption())
    return status;
  const rocksdb::Status second = open(rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords);
  return second.ok() ? second : status;
}

}  // namespace

std::string_view NameOf(Family family) { return kFamilyNames[static_cast<size_t>(family)]; }

SharedMemory SharedMemory::Make(uint64_t bytes_max) {
  SharedMemory memory;
  memory.block_cache = rocksdb::NewLRUCache(bytes_max);
  memory.write_buffers =
      std::make_shared<rocksdb::WriteBufferManager>(bytes_max / 2, memory.block_cache);
  return memory;
}

absl::Status ToStatus(const rocksdb::Status& status) {
  if (status.ok())
    return absl::OkStatus();
  const std::string text = status.ToString();
  if (status.IsNoSpace())
    return absl::ResourceExhaustedError(base::StrCat("the disk is full: ", text));
  if (status.IsCorruption())
    return absl::DataLossError(text);
  if (status.IsNotFound())
    return absl::NotFoundError(text);
  if (status.IsInvalidArgument())
    return absl::InvalidArgumentError(text);
  return absl::UnavailableError(text);
}

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const DatabaseOptions& options) {
  std::error_code error;
  if (!options.must_exist)
    std::filesystem::create_directories(options.directory, error);
  if (error) {
    return absl::FailedPreconditionError(base::StrCat("cannot create the data directory ",
                                                      options.directory, ": ", error.message()));
  }
  std::unique_ptr<Database> database(new Database);
  database->write_buffers_ = options.memory.write_buffers;
  database->records_ = std::make_unique<RecordCache>(options.record_cache_bytes);
  database->chunks_ = std::make_unique<ChunkCache>(options.chunk_cache_bytes);
  database->dictionaries_ = std::make_unique<DictionaryCache>(
      options.dictionary_cache_bytes,
      // One entry may fill the cache: the largest takes longest to reload.
      options.dictionary_cache_bytes);
  database->quota_ = options.quota;
  database->oldest_hours_ =
      options.oldest_hours != nullptr ? options.oldest_hours : std::make_shared<OldestHours>();
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (size_t i = 0; i < kFamilyCount; ++i) {
    const auto family = static_cast<Family>(i);
    rocksdb::ColumnFamilyOptions family_options = FamilyOptions(family, options);
    if (AgeFilter::AppliesTo(family)) {
      database->age_filters_.push_back(
          std::make_unique<AgeFilter>(family, database->oldest_hours_.get()));
      family_options.compaction_filter = database->age_filters_.back().get();
      family_options.periodic_compaction_seconds = kRewriteSeconds;
    }
    families.emplace_back(kFamilyNames[i], family_options);
  }
  if (!options.read_only) {
    for (const std::string& name : RetiredFamilies(options.directory))
      families.emplace_back(name, FamilyOptions(Family::kMeta, options));
  }
  if (options.read_only && !RetiredFamilies(options.directory).empty()) {
    return absl::FailedPreconditionError(
        base::StrCat("data directory ", options.directory, ": ", kNeedsUpgrade));
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = OpenWithLogs(options, families, &handles, &db);
  if (!status.ok())
    return ExplainOpen(status, options.directory);
  database->db_.reset(db);
  std::copy_n(handles.begin(), kFamilyCount, database->handles_.begin());
  FLARE_RETURN_IF_ERROR(database->Upgrade({handles.begin() + kFamilyCount, handles.end()}));
  FLARE_RETURN_IF_ERROR(base::WithContext(base::StrCat("data directory ", options.directory),
                                          CheckFormat(*database, options.read_only)));
  return database;
}

absl::Status Database::Upgrade(const std::vector<rocksdb::ColumnFamilyHandle*>& retired) {
  absl::Status status;
  for (rocksdb::ColumnFamilyHandle* handle : retired) {
    if (status.ok())
      status = base::WithContext("upgrade to format 3", MoveRetiredFamily(*this, handle));
    db_->DestroyColumnFamilyHandle(handle);
  }
  return status;
}

Database::~Database() {
  if (db_ == nullptr)
    return;
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    if (handle != nullptr)
      db_->DestroyColumnFamilyHandle(handle);
  }
  db_->Close();
}

absl::StatusOr<std::optional<std::string>> Database::Get(Family family,
                                                         std::string_view key) const {
  std::string value;
  const rocksdb::Status status =
      db_->Get(rocksdb::ReadOptions(), handle(family), ToSlice(key), &value);
  if (status.IsNotFound())
    return std::nullopt;
  FLARE_RETURN_IF_ERROR(ToStatus(status));
  return std::optional<std::string>(std::move(value));
}

std::unique_ptr<rocksdb::Iterator> Database::NewIterator(Family family) const {
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(options, handle(family)));
}

std::unique_ptr<rocksdb::Iterator> Database::NewPrefixIterator(Family family) const {
  rocksdb::ReadOptions options;
  options.prefix_same_as_start = true;
  return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(options, handle(family)));
}

absl::Status Database::Compact(Family family, const rocksdb::Slice* from,
                               const rocksdb::Slice* to) const {
  rocksdb::CompactRangeOptions options;
  // An exclusive compaction lets L0 tables pile up, and rewriting all of them at once takes too
  // much space.
  options.exclusive_manual_compaction = false;
  return ToStatus(db_->CompactRange(options, handle(family), from, to));
}

absl::Status Database::FlushAll(Wait wait) const {
  rocksdb::FlushOptions options;
  options.wait = wait == Wait::kYes;
  // Waiting for compactions would block housekeeping.
  options.allow_write_stall = true;
  return ToStatus(db_->Flush(options, {handles_.begin(), handles_.end()}));
}

uint64_t Database::TableBytes(Family family) const {
  uint64_t bytes = 0;
  db_->GetIntProperty(handle(family), rocksdb::DB::Properties::kLiveSstFilesSize, &bytes);
  return bytes;
}

rocksdb::Status Database::Write(const rocksdb::WriteOptions& options, Changes* changes) const {
  {
    const base::MutexLock lock(mutex_);
    if (failed_write_.has_value())
      return failed_write_->status;
  }
  rocksdb::Status status = db_->Write(options, &changes->batch());
  if (!status.ok() && !status.IsIncomplete()) {  // incomplete: stalled, nothing was written
    const base::MutexLock lock(mutex_);
    failed_write_ = {.status = status, .log = CurrentLog()};
  }
  return status;
}

bool Database::has_failed_write() const {
  const base::MutexLock lock(mutex_);
  return failed_write_.has_value();
}

// RocksDB resumes by flushing its memory, which also starts a new log. With nothing in memory it
// would go on with the failed one.
rocksdb::Status Database::Resume() const {
  rocksdb::Status resumed = db_->Resume();
  const base::MutexLock lock(mutex_);
  if (!resumed.ok() || !failed_write_.has_value())
    return resumed;
  if (CurrentLog() == failed_write_->log)
    return {failed_write_->status, rocksdb::Status::Severity::kFatalError};
  failed_write_.reset();
  return resumed;
}

// Returns 0 if RocksDB cannot tell. Two zeros mean the same log: the database is reopened.
uint64_t Database::CurrentLog() const {
  std::unique_ptr<rocksdb::LogFile> log;
  return db_->GetCurrentWalFile(&log).ok() ? log->LogNumber() : 0;
}

absl::Status Database::AwaitWriteBuffers() const {
  const auto is_within = [this] {
    return write_buffers_ == nullptr || write_buffers_->buffer_size() == 0 ||
           write_buffers_->memory_usage() <= write_buffers_->buffer_size();
  };
  // Waiting for the buffers of other stores gains nothing.
  if (is_within() || WriteBufferBytes() < write_buffers_->buffer_size() / 4)
    return absl::OkStatus();
  for (auto waited = kBufferPoll; !is_within() && waited <= kBufferWaitMax; waited += kBufferPoll)
    std::this_thread::sleep_for(kBufferPoll);
  // The rest is not being flushed yet. Start a flush without waiting for it: on a failing disk, it
  // ends only when the disk recovers.
  return is_within() ? absl::OkStatus() : FlushAll(Wait::kNo);
}

uint64_t Database::SizeOnDisk() const {
  uint64_t tables = SumOf(rocksdb::DB::Properties::kLiveSstFilesSize);
  rocksdb::VectorLogPtr logs;
  if (db_->GetSortedWalFiles(logs).ok()) {
    for (const auto& log : logs)
      tables += log->SizeFileBytes();
  }
  return tables;
}

uint64_t Database::SumOf(const std::string& property) const {
  uint64_t sum = 0;
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    uint64_t bytes = 0;
    if (db_->GetIntProperty(handle, property, &bytes))
      sum += bytes;
  }
  return sum;
}

uint64_t Database::WaitingBytes() const {
  return SumOf(rocksdb::DB::Properties::kEstimatePendingCompactionBytes);
}

uint64_t Database::WriteBufferBytes() const {
  return SumOf(rocksdb::DB::Properties::kSizeAllMemTables);
}

}  // namespace flarestack::store::rocks
