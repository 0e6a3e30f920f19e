// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_manager.h>
#include <rocksdb/table.h>

#include <filesystem>

#include "base/status.h"
#include "store/rocks/age_filter.h"
#include "store/rocks/chunk_merge.h"
#include "store/rocks/info_log.h"
#include "store/rocks/retryable_files.h"

namespace flarestack::store::rocks {
namespace {

// The names are in the files: they may be added to, and not be changed.
constexpr std::array<const char*, kFamilyCount> kFamilyNames = {
    "default",         "dictionary",  "ids",   "series",     "postings", "samples",    "rollups",
    "links",           "profile_ids", "spans", "span_index", "logs",     "log_traces", "metrics",
    "metric_postings", "points",
};

// So often at least each file is rewritten, and what is old in it goes.
constexpr uint64_t kRewriteSeconds = 86'400;

constexpr uint64_t kInfoLogBytesMax = 4 << 20;

constexpr std::string_view kFormatKey = "format";
constexpr std::string_view kFormat = "2";

// Write buffers grow by so much. The default of 1 MiB for each family of each database would use up
// what many databases share before they hold anything.
constexpr size_t kSmallArenaBlock = 32 << 10;

rocksdb::ColumnFamilyOptions FamilyOptions(Family family, const DatabaseOptions& from) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = from.memory.block_cache;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.cache_index_and_filter_blocks = true;  // so that they count against the cap
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.format_version = 5;
  // Chunks compress best in the company of others like them.
  table.block_size = family == Family::kSamples || family == Family::kRollups ? 64 << 10 : 16 << 10;

  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kZSTD;
  options.bottommost_compression = rocksdb::kZSTD;
  options.bottommost_compression_opts.level = 6;
  options.bottommost_compression_opts.enabled = true;
  options.level_compaction_dynamic_level_bytes = true;
  options.write_buffer_size = 32 << 20;
  options.target_file_size_base = 32 << 20;
  if (from.is_one_of_many)
    options.arena_block_size = kSmallArenaBlock;
  options.max_bytes_for_level_base = 128 << 20;
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
  options.max_total_wal_size = 256 << 20;
  options.info_log =
      from.read_only ? MakeSilentLog() : MakeInfoLog(from.directory, kInfoLogBytesMax);
  options.recycle_log_file_num = 0;
  options.paranoid_checks = !from.is_tolerant;
  // With it RocksDB goes on by itself once there is room on the disk again.
  options.sst_file_manager.reset(rocksdb::NewSstFileManager(options.env));
  return options;
}

absl::Status CheckFormat(const Database& database, bool read_only) {
  FLARE_ASSIGN(const std::optional<std::string> format, database.Get(Family::kMeta, kFormatKey));
  if (format == kFormat)
    return absl::OkStatus();
  if (format.has_value()) {
    return absl::FailedPreconditionError(
        base::StrCat("the data has format ", *format, ", and this program knows format ", kFormat));
  }
  if (read_only)
    return absl::FailedPreconditionError("no data of this program is there");
  rocksdb::WriteOptions sync;
  sync.sync = true;
  return ToStatus(database.db().Put(sync, database.handle(Family::kMeta), ToSlice(kFormatKey),
                                    ToSlice(kFormat)));
}

absl::Status ExplainOpen(const rocksdb::Status& status, const std::string& directory) {
  const std::string text = status.ToString();
  if (text.find("lock") != std::string::npos && status.IsIOError()) {
    return absl::FailedPreconditionError(
        base::StrCat("another process uses the data directory ", directory));
  }
  return base::Under(base::StrCat("data directory ", directory), ToStatus(status));
}

// A log of which the end was lost, as power failures have it, is replayed up to there. That refuses
// what a kill leaves while a failed write is got over: a log that ends within the record that
// failed, and a table that is newer. Nothing that was acknowledged is behind such an end, so that
// the next log may follow it; any other damage is refused then too.
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
  const rocksdb::Status status = open(rocksdb::WALRecoveryMode::kPointInTimeRecovery);
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
    return absl::FailedPreconditionError(
        base::StrCat("cannot make the data directory ", options.directory, ": ", error.message()));
  }
  std::unique_ptr<Database> database(new Database);
  database->records_ = std::make_unique<RecordCache>(options.record_cache_bytes);
  database->chunks_ = std::make_unique<ChunkCache>(options.chunk_cache_bytes);
  database->dictionaries_ = std::make_unique<DictionaryCache>(options.dictionary_cache_bytes);
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
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = OpenWithLogs(options, families, &handles, &db);
  if (!status.ok())
    return ExplainOpen(status, options.directory);
  database->db_.reset(db);
  std::ranges::copy(handles, database->handles_.begin());
  FLARE_RETURN_IF_ERROR(base::Under(base::StrCat("data directory ", options.directory),
                                    CheckFormat(*database, options.read_only)));
  return database;
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
  return std::unique_ptr<rocksdb::Iterator>(
      db_->NewIterator(rocksdb::ReadOptions(), handle(family)));
}

absl::Status Database::FlushAll() const {
  return ToStatus(db_->Flush(rocksdb::FlushOptions(), {handles_.begin(), handles_.end()}));
}

uint64_t Database::SizeOnDisk() const {
  uint64_t tables = 0;
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    uint64_t bytes = 0;
    if (db_->GetIntProperty(handle, rocksdb::DB::Properties::kTotalSstFilesSize, &bytes))
      tables += bytes;
  }
  rocksdb::VectorLogPtr logs;
  if (db_->GetSortedWalFiles(logs).ok()) {
    for (const auto& log : logs)
      tables += log->SizeFileBytes();
  }
  return tables;
}

uint64_t Database::WaitingBytes() const {
  uint64_t waiting = 0;
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    uint64_t bytes = 0;
    if (db_->GetIntProperty(handle, rocksdb::DB::Properties::kEstimatePendingCompactionBytes,
                            &bytes))
      waiting += bytes;
  }
  return waiting;
}

}  // namespace flarestack::store::rocks
