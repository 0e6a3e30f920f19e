// SPDX-License-Identifier: Apache-2.0
//
// The counting, backup and restore functions of store/maintenance.h.
#include "store/maintenance.h"

#include <rocksdb/utilities/backup_engine.h>

#include <filesystem>

#include "base/status.h"
#include "store/rocks/database/caps.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/directory_lock.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/dictionary/record_run.h"
#include "store/rocks/profiles/chunk_scan.h"

namespace flarestack::store {
namespace {

using namespace rocks;
namespace fs = std::filesystem;

constexpr uint64_t kCacheBytes = 64 << 20;

absl::Status RequireEmpty(const std::string& directory) {
  std::error_code error;
  if (!fs::exists(directory, error) && !error)
    return absl::OkStatus();
  const bool is_empty = fs::is_directory(directory, error) && fs::is_empty(directory, error);
  if (error)
    return absl::FailedPreconditionError(base::StrCat(directory, ": ", error.message()));
  return is_empty ? absl::OkStatus()
                  : absl::AlreadyExistsError(base::StrCat(directory, " is not empty"));
}

absl::Status MakeDirectory(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  return error ? absl::FailedPreconditionError(
                     base::StrCat("cannot create ", directory, ": ", error.message()))
               : absl::OkStatus();
}

// Removes what a failed run left in a directory that was empty before.
void Empty(const std::string& directory) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    fs::remove_all(entry.path(), ignored);
}

absl::Status CopyOut(const std::string& directory, const std::string& target) {
  // RocksDB can only copy a database that is open for writing. Opening also locks the directory.
  FLARE_ASSIGN(const auto database, Database::Open({.directory = directory,
                                                    .memory = SharedMemory::Make(kCacheBytes),
                                                    .must_exist = true}));
  FLARE_RETURN_IF_ERROR(ToStatus(database->db().VerifyChecksum()));
  rocksdb::BackupEngine* opened = nullptr;
  FLARE_RETURN_IF_ERROR(ToStatus(rocksdb::BackupEngine::Open(
      rocksdb::Env::Default(), rocksdb::BackupEngineOptions(target), &opened)));
  const std::unique_ptr<rocksdb::BackupEngine> engine(opened);
  return ToStatus(engine->CreateNewBackup(&database->db(), /*flush_before_backup=*/true));
}

absl::Status CopyIn(const std::string& source, const std::string& directory) {
  rocksdb::BackupEngineReadOnly* opened = nullptr;
  FLARE_RETURN_IF_ERROR(ToStatus(rocksdb::BackupEngineReadOnly::Open(
      rocksdb::Env::Default(), rocksdb::BackupEngineOptions(source), &opened)));
  const std::unique_ptr<rocksdb::BackupEngineReadOnly> engine(opened);
  FLARE_RETURN_IF_ERROR(ToStatus(engine->RestoreDBFromLatestBackup(directory, directory)));
  return Database::Open({.directory = directory,
                         .memory = SharedMemory::Make(kCacheBytes),
                         .must_exist = true,
                         .read_only = true})
      .status();
}

// The number of stacks under one dictionary key.
uint64_t CountStacks(std::string_view key, std::string_view value) {
  const std::optional<uint32_t> number = DecodeDictionaryKey(Table::kStack, key);
  Run run;
  return number.has_value() && DecodeRun(*number, value, &run).ok() ? run.records.size() : 0;
}

absl::StatusOr<FamilyStats> CountFamily(const Database& database, Family family,
                                        StoreStats* stats) {
  FamilyStats counted = {.name = std::string(NameOf(family))};
  const auto at = database.NewIterator(family);
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    ++counted.entries;
    if (family == Family::kDictionary)
      stats->stacks += CountStacks(ToView(at->key()), ToView(at->value()));
  }
  FLARE_RETURN_IF_ERROR(ToStatus(at->status()));
  if (family == Family::kSeries)
    stats->series = counted.entries;
  database.db().GetIntProperty(database.handle(family), rocksdb::DB::Properties::kTotalSstFilesSize,
                               &counted.table_bytes);
  return counted;
}

}  // namespace

absl::StatusOr<DirectoryStats> ReadDirectoryStats(const std::string& directory) {
  FLARE_ASSIGN(const DirectoryLock lock, DirectoryLock::Take(directory));
  FLARE_ASSIGN(const auto database, Database::Open({.directory = directory,
                                                    .memory = SharedMemory::Make(kCacheBytes),
                                                    .must_exist = true,
                                                    .read_only = true}));
  DirectoryStats stats;
  stats.store.disk_bytes = database->SizeOnDisk();
  FLARE_ASSIGN(stats.caps, ReadCaps(*database));
  if (const auto hours = StoredHours(*database); hours.has_value()) {
    stats.store.oldest_nanos = uint64_t{hours->first} * kNanosPerHour;
    stats.store.newest_nanos = uint64_t{hours->last + 1} * kNanosPerHour;
  }
  for (size_t i = 0; i < kFamilyCount; ++i) {
    FLARE_ASSIGN(FamilyStats family, CountFamily(*database, static_cast<Family>(i), &stats.store));
    stats.families.push_back(std::move(family));
  }
  return stats;
}

absl::Status BackUp(const std::string& directory, const std::string& target) {
  FLARE_RETURN_IF_ERROR(RequireData(directory));
  FLARE_RETURN_IF_ERROR(RequireEmpty(target));
  FLARE_RETURN_IF_ERROR(MakeDirectory(target));
  absl::Status status = CopyOut(directory, target);
  if (!status.ok())
    Empty(target);
  return status;
}

absl::Status Restore(const std::string& source, const std::string& directory) {
  // BackupEngine would create missing directories.
  std::error_code error;
  if (!fs::is_directory(source + "/meta", error))
    return absl::NotFoundError(base::StrCat(source, " is not a backup"));
  FLARE_RETURN_IF_ERROR(RequireEmpty(directory));
  FLARE_RETURN_IF_ERROR(MakeDirectory(directory));
  absl::Status status = CopyIn(source, directory);
  if (!status.ok())
    Empty(directory);
  return status;
}

}  // namespace flarestack::store
