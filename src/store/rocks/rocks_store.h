// SPDX-License-Identifier: Apache-2.0
//
// The embedded store: one RocksDB database in one directory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/disk_quota.h"
#include "store/store.h"

namespace rocksdb {
class Env;
}

namespace flarestack::store {

// Memory shared by several stores of a process.
class StoreMemory;
std::shared_ptr<StoreMemory> MakeStoreMemory(uint64_t bytes_max, uint32_t stores_max);

struct RocksStoreOptions {
  std::string directory;
  bool sync_each_commit = true;  // if false, a power cut may lose acknowledged data
  uint64_t memory_bytes_max = uint64_t{512} << 20;
  std::shared_ptr<StoreMemory> memory;     // if set, used instead of private memory
  uint64_t series_max = 1'000'000;         // of samples
  uint64_t metric_series_max = 1'000'000;  // of points
  uint64_t notes_max = 10'000;
  // Determines the file sizes of the database. Recorded in the directory, for `flarestack store
  // stats`.
  StoreCaps caps;
  std::shared_ptr<DiskQuota> quota;  // if set, appends beyond it fail with kResourceExhausted
  // Called after each attempt to reopen the store following a write failure that RocksDB cannot
  // recover from (store/rocks/reopening_store.h), from a thread of the store.
  std::function<void(const absl::Status&)> on_reopening = nullptr;
  rocksdb::Env* files = nullptr;  // if set, replaces the operating system's files, for tests
};

// Returns kFailedPrecondition if the directory is in use or has a newer format. The directory stays
// locked until the store is destroyed.
absl::StatusOr<std::unique_ptr<Store>> OpenRocksStore(const RocksStoreOptions& options);

// Keeps other processes from opening a store in `directory` while the result lives, whether or not
// a store exists there. Returns kFailedPrecondition if another process has it open.
absl::StatusOr<std::shared_ptr<void>> LockDirectory(const std::string& directory);

// Whether the directory contains a store.
bool HoldsStore(const std::string& directory);

}  // namespace flarestack::store
