// SPDX-License-Identifier: Apache-2.0
//
// VerifyDirectory of store/maintenance.h. Tables are verified one by one, so that a fault names its
// file. Then all entries are read through the database, which combines tables and log. A family
// that cannot be read completely that way is read table by table, skipping the broken ones.
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/status.h"
#include "base/text/encoding.h"
#include "store/maintenance.h"
#include "store/rocks/database/chunk_merge.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/directory_lock.h"
#include "store/rocks/entry_check.h"

namespace flarestack::store {
namespace {

using namespace rocks;

constexpr uint64_t kCacheBytes = 64 << 20;

struct TableFile {
  std::string path;
  uint64_t bytes = 0;  // as recorded; 0: not known
};

rocksdb::Options TableOptions() {
  rocksdb::Options options;
  options.merge_operator = std::make_shared<ChunkMerge>();
  return options;
}

class Verifier {
 public:
  explicit Verifier(const std::string& directory) : directory_(directory) {}

  VerifyReport Run() {
    auto database = Database::Open({.directory = directory_,
                                    .memory = SharedMemory::Make(kCacheBytes),
                                    .must_exist = true,
                                    .read_only = true,
                                    .is_tolerant = true});
    const std::vector<TableFile> tables =
        database.ok() ? RecordedTables(**database) : TablesInDirectory();
    for (const TableFile& table : tables) {
      ++report_.files;
      if (const absl::Status status = CheckTable(table); !status.ok()) {
        broken_.insert(table.path);
        AddFault(table.path, status);
      }
    }
    EntryCheck check(database.ok() ? database->get() : nullptr);
    if (!database.ok()) {
      AddFault(directory_, database.status());
      ReadTables(tables, std::nullopt, &check);
      return std::move(report_);
    }
    for (size_t i = 0; i < kFamilyCount; ++i)
      ReadFamily(**database, static_cast<Family>(i), tables, &check);
    return std::move(report_);
  }

 private:
  void AddFault(const std::string& place, const absl::Status& status) {
    // Reading a family table by table may find the same entry again.
    const bool is_known = std::any_of(report_.faults.begin(), report_.faults.end(),
                                      [&](const StoreFault& f) { return f.place == place; });
    if (is_known)
      return;
    ++report_.fault_count;
    if (report_.faults.size() < kStoreFaultsMax)
      report_.faults.push_back({place, std::string(base::Message(status))});
  }

  static std::vector<TableFile> RecordedTables(const Database& database) {
    std::vector<rocksdb::LiveFileMetaData> recorded;
    database.db().GetLiveFilesMetaData(&recorded);
    std::vector<TableFile> tables;
    for (const rocksdb::LiveFileMetaData& file : recorded)
      tables.push_back({.path = file.db_path + file.name, .bytes = file.size});
    std::sort(tables.begin(), tables.end(),
              [](const TableFile& a, const TableFile& b) { return a.path < b.path; });
    return tables;
  }

  std::vector<TableFile> TablesInDirectory() const {
    std::vector<TableFile> tables;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
      if (entry.path().extension() == ".sst")
        tables.push_back({.path = entry.path().string()});
    }
    std::sort(tables.begin(), tables.end(),
              [](const TableFile& a, const TableFile& b) { return a.path < b.path; });
    return tables;
  }

  static absl::Status CheckTable(const TableFile& table) {
    std::error_code error;
    const uint64_t bytes = std::filesystem::file_size(table.path, error);
    if (error)
      return absl::DataLossError(error.message());
    if (table.bytes != 0 && bytes != table.bytes)
      return absl::DataLossError(base::StrCat("it has ", bytes, " bytes, expected ", table.bytes));
    rocksdb::SstFileReader reader(TableOptions());
    FLARE_RETURN_IF_ERROR(ToStatus(reader.Open(table.path)));
    rocksdb::ReadOptions options;
    options.verify_checksums = true;
    return ToStatus(reader.VerifyChecksum(options));
  }

  void CheckEntry(Family family, const rocksdb::Iterator& at, EntryCheck* check) {
    ++report_.entries;
    const absl::Status status = check->Check(family, ToView(at.key()), ToView(at.value()));
    if (!status.ok())
      AddFault(base::StrCat(NameOf(family), " ", base::HexEncode(ToView(at.key()))), status);
  }

  void ReadFamily(const Database& database, Family family, const std::vector<TableFile>& tables,
                  EntryCheck* check) {
    const uint64_t entries_before = report_.entries;
    const auto at = database.NewIterator(family);
    for (at->SeekToFirst(); at->Valid(); at->Next())
      CheckEntry(family, *at, check);
    if (at->status().ok())
      return;
    // A broken table has already been reported.
    if (broken_.empty())
      AddFault(base::StrCat("family ", NameOf(family)), ToStatus(at->status()));
    report_.entries = entries_before;
    ReadTables(tables, family, check);
  }

  // Reads all entries of the intact tables, of one family or of all.
  void ReadTables(const std::vector<TableFile>& tables, std::optional<Family> wanted,
                  EntryCheck* check) {
    for (const TableFile& table : tables) {
      rocksdb::SstFileReader reader(TableOptions());
      if (broken_.contains(table.path) || !reader.Open(table.path).ok())
        continue;
      const std::optional<Family> family =
          FamilyOf(reader.GetTableProperties()->column_family_name);
      if (!family.has_value() || (wanted.has_value() && wanted != family))
        continue;
      const std::unique_ptr<rocksdb::Iterator> at(reader.NewIterator(rocksdb::ReadOptions()));
      for (at->SeekToFirst(); at->Valid(); at->Next())
        CheckEntry(*family, *at, check);
      if (!at->status().ok())
        AddFault(table.path, ToStatus(at->status()));
    }
  }

  static std::optional<Family> FamilyOf(std::string_view name) {
    for (size_t i = 0; i < kFamilyCount; ++i) {
      if (NameOf(static_cast<Family>(i)) == name)
        return static_cast<Family>(i);
    }
    return std::nullopt;
  }

  const std::string directory_;
  VerifyReport report_;
  std::set<std::string> broken_;  // paths of tables
};

}  // namespace

absl::StatusOr<VerifyReport> VerifyDirectory(const std::string& directory) {
  FLARE_ASSIGN(const DirectoryLock lock, DirectoryLock::Take(directory));
  return Verifier(directory).Run();
}

}  // namespace flarestack::store
