// SPDX-License-Identifier: Apache-2.0
//
// Caches symbol tables on disk, one file per key, and keeps some open. Evicts the least recently
// used when a limit is exceeded. Thread-safe.
//
//   DIRECTORY/ab/abcdef....fsym
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "symbol/table/symbol_table.h"

namespace flarestack::symbol {

struct TableCacheOptions {
  std::string directory;  // empty: memory only
  uint64_t disk_bytes_max = uint64_t{4} << 30;
  uint64_t open_bytes_max = uint64_t{1} << 30;  // mapped or in memory
};

class TableCache {
 public:
  explicit TableCache(TableCacheOptions options) : options_(std::move(options)) {}

  // Returns the table, or null if there is none. Removes a file that is corrupt or of another
  // version, because it can be rebuilt.
  std::shared_ptr<const SymbolTable> Find(const std::string& key);

  // True if the table exists, judging without opening it.
  bool Has(const std::string& key) const;

  // Stores the bytes of a table and opens it. The key must be safe in a path.
  absl::StatusOr<std::shared_ptr<const SymbolTable>> Add(const std::string& key, std::string bytes);

  // Makes the table of `key` available under another key too, replacing the table there.
  void AddAlias(const std::string& alias, const std::string& key);

  void Remove(const std::string& key);

 private:
  struct Open {
    std::string key;
    std::shared_ptr<const SymbolTable> table;
    uint64_t bytes = 0;
  };
  using OpenTables = std::list<Open>;  // most recently used first

  std::string PathOf(const std::string& key) const;
  std::shared_ptr<const SymbolTable> FindOpen(const std::string& key);
  // Returns false and stores nothing if a table was removed since `removals` was read: a table
  // opened before that may be outdated.
  bool Hold(const std::string& key, std::shared_ptr<const SymbolTable> table, uint64_t removals,
            bool is_alias = false);
  uint64_t RemovalCount() const;
  void RemoveIfDamaged(const std::string& path) FLARE_EXCLUDES(disk_mutex_);
  void MakeRoom(uint64_t bytes) FLARE_REQUIRES(disk_mutex_);

  const TableCacheOptions options_;
  base::Mutex disk_mutex_;  // held while files are written or removed
  mutable base::Mutex mutex_;
  OpenTables open_ FLARE_GUARDED_BY(mutex_);
  std::unordered_map<std::string, OpenTables::iterator> places_ FLARE_GUARDED_BY(mutex_);
  uint64_t open_bytes_ FLARE_GUARDED_BY(mutex_) = 0;
  uint64_t removals_ FLARE_GUARDED_BY(mutex_) = 0;
};

}  // namespace flarestack::symbol
