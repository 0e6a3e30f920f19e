// SPDX-License-Identifier: Apache-2.0
#include "symbol/table/table_cache.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/file/file.h"
#include "base/status.h"
#include "elf/build_id.h"

namespace flarestack::symbol {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".fsym";

// A table without a file.
struct OwnedTable {
  std::string bytes;
  SymbolTable table;
};

absl::StatusOr<std::shared_ptr<const SymbolTable>> OpenOwned(std::string bytes) {
  auto owned = std::make_shared<OwnedTable>();
  owned->bytes = std::move(bytes);
  FLARE_ASSIGN(owned->table, SymbolTable::Open(owned->bytes));
  const SymbolTable* table = &owned->table;
  return std::shared_ptr<const SymbolTable>(std::move(owned), table);
}

// A file that could not be opened for lack of memory or descriptors is not damaged.
bool IsDamaged(const absl::StatusOr<SymbolTable>& opened) {
  return opened.ok()
             ? !opened->VerifyChecksums().ok()
             : absl::IsInvalidArgument(opened.status()) || absl::IsUnimplemented(opened.status());
}

struct StoredFile {
  fs::path path;
  uint64_t bytes = 0;
  fs::file_time_type used;
};

std::vector<StoredFile> FilesBelow(const std::string& directory) {
  std::vector<StoredFile> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (at->path().extension() != kSuffix)
      continue;
    // An alias is a hard link to the same bytes.
    const auto names = std::max<uint64_t>(at->hard_link_count(ignored), 1);
    files.push_back({at->path(), at->file_size(ignored) / names, at->last_write_time(ignored)});
  }
  return files;
}

}  // namespace

std::string TableCache::PathOf(const std::string& key) const {
  if (options_.directory.empty() || !elf::IsSafeBuildId(key))
    return "";
  return base::StrCat(options_.directory, "/", key.substr(0, 2), "/", key, kSuffix);
}

std::shared_ptr<const SymbolTable> TableCache::FindOpen(const std::string& key) {
  const base::MutexLock lock(mutex_);
  const auto at = places_.find(key);
  if (at == places_.end())
    return nullptr;
  open_.splice(open_.begin(), open_, at->second);
  return at->second->table;
}

std::shared_ptr<const SymbolTable> TableCache::Find(const std::string& key) {
  if (auto table = FindOpen(key); table != nullptr)
    return table;
  const std::string path = PathOf(key);
  std::error_code error;
  if (path.empty() || !fs::exists(path, error))
    return nullptr;
  const uint64_t removals = RemovalCount();
  auto opened = SymbolTable::OpenFile(path);
  if (IsDamaged(opened)) {
    RemoveIfDamaged(path);
    return nullptr;
  }
  if (!opened.ok())
    return nullptr;
  opened->DropMemory();  // a look-up needs a few pages of what was just read
  auto table = std::make_shared<const SymbolTable>(*std::move(opened));
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // used just now
  return Hold(key, table, removals) ? table : nullptr;
}

// Checks again: another thread may have replaced the file by a good one.
void TableCache::RemoveIfDamaged(const std::string& path) {
  const base::MutexLock lock(disk_mutex_);
  std::error_code error;
  if (IsDamaged(SymbolTable::OpenFile(path)))
    fs::remove(path, error);
}

bool TableCache::Has(const std::string& key) const {
  {
    const base::MutexLock lock(mutex_);
    if (places_.contains(key))
      return true;
  }
  std::error_code error;
  const std::string path = PathOf(key);
  return !path.empty() && fs::exists(path, error);
}

uint64_t TableCache::RemovalCount() const {
  const base::MutexLock lock(mutex_);
  return removals_;
}

absl::StatusOr<std::shared_ptr<const SymbolTable>> TableCache::Add(const std::string& key,
                                                                   std::string bytes) {
  const std::string path = PathOf(key);
  std::shared_ptr<const SymbolTable> table;
  if (path.empty()) {
    FLARE_ASSIGN(table, OpenOwned(std::move(bytes)));
  } else {
    FLARE_RETURN_IF_ERROR(SymbolTable::Open(bytes).status());
    const base::MutexLock lock(disk_mutex_);
    MakeRoom(bytes.size());
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    FLARE_ASSIGN(base::OutputFile file, base::OutputFile::Create(path));
    FLARE_RETURN_IF_ERROR(file.Write(bytes));
    FLARE_RETURN_IF_ERROR(file.Commit());
    FLARE_ASSIGN(SymbolTable opened, SymbolTable::OpenFile(path));
    table = std::make_shared<const SymbolTable>(std::move(opened));
  }
  Hold(key, table, RemovalCount());
  return table;
}

void TableCache::AddAlias(const std::string& alias, const std::string& key) {
  const std::shared_ptr<const SymbolTable> table = Find(key);
  if (table == nullptr || alias == key)
    return;
  if (const std::string path = PathOf(alias); !path.empty()) {
    // A hard link shares the bytes. Without hard links the alias exists only in memory.
    const base::MutexLock lock(disk_mutex_);
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    fs::remove(path, error);
    fs::create_hard_link(PathOf(key), path, error);
  }
  Hold(alias, table, RemovalCount(), /*is_alias=*/true);
}

void TableCache::Remove(const std::string& key) {
  {
    const base::MutexLock lock(mutex_);
    ++removals_;
    const auto at = places_.find(key);
    if (at != places_.end()) {
      open_bytes_ -= at->second->bytes;
      open_.erase(at->second);
      places_.erase(at);
    }
  }
  const std::string path = PathOf(key);
  const base::MutexLock lock(disk_mutex_);
  std::error_code error;
  if (!path.empty())
    fs::remove(path, error);
}

bool TableCache::Hold(const std::string& key, std::shared_ptr<const SymbolTable> table,
                      uint64_t removals, bool is_alias) {
  const base::MutexLock lock(mutex_);
  if (removals != removals_)
    return false;
  // An alias shares its bytes with the other name.
  const uint64_t bytes = is_alias ? 0 : table->bytes().size();
  if (const auto old = places_.find(key); old != places_.end()) {
    open_bytes_ -= old->second->bytes;
    open_.erase(old->second);
    places_.erase(old);
  }
  open_bytes_ += bytes;
  open_.push_front({.key = key, .table = std::move(table), .bytes = bytes});
  places_.emplace(key, open_.begin());
  // Never evicts the requested table, however large.
  while (open_bytes_ > options_.open_bytes_max && open_.size() > 1) {
    open_bytes_ -= open_.back().bytes;
    places_.erase(open_.back().key);
    open_.pop_back();
  }
  return true;
}

// Evicts files from disk. A mapped file stays readable after its name is removed.
void TableCache::MakeRoom(uint64_t bytes) {
  std::vector<StoredFile> files = FilesBelow(options_.directory);
  uint64_t total = bytes;
  for (const StoredFile& file : files)
    total += file.bytes;
  if (total <= options_.disk_bytes_max)
    return;
  std::ranges::sort(files, {}, &StoredFile::used);
  for (const StoredFile& file : files) {
    if (total <= options_.disk_bytes_max)
      return;
    std::error_code error;
    fs::remove(file.path, error);
    total -= file.bytes;
  }
}

}  // namespace flarestack::symbol
