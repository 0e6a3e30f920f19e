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

// Memory that several stores of a process share.
class StoreMemory;
std::shared_ptr<StoreMemory> MakeStoreMemory(uint64_t bytes_max, uint32_t stores_max);

struct RocksStoreOptions {
  std::string directory;
  bool sync_each_commit = true;  // else acknowledged data may be lost in a power cut
  uint64_t memory_bytes_max = uint64_t{512} << 20;
  std::shared_ptr<StoreMemory> memory;     // set: instead of memory of its own
  uint64_t series_max = 1'000'000;         // of samples
  uint64_t metric_series_max = 1'000'000;  // of points
  uint64_t notes_max = 10'000;
  // Sizes the files of the database; noted in the directory, for `flarestack store stats`.
  StoreCaps caps;
  std::shared_ptr<DiskQuota> quota;  // set: appends beyond it fail with kResourceExhausted
  // Told of each attempt to open the store anew after a write that RocksDB cannot get over
  // (store/reopening_store.h), from a thread of the store.
  std::function<void(const absl::Status&)> on_reopening = nullptr;
  rocksdb::Env* files = nullptr;  // set: instead of those of the operating system, for tests
};

// kFailedPrecondition when the directory is in use or of a newer format. The directory stays locked
// until the store is destroyed.
absl::StatusOr<std::unique_ptr<Store>> OpenRocksStore(const RocksStoreOptions& options);

// Keeps other processes from opening a store in `directory` for as long as the result lives,
// whether there is one or not. kFailedPrecondition when one has it open.
absl::StatusOr<std::shared_ptr<void>> HoldDirectory(const std::string& directory);

// Whether a store was opened in it before.
bool HoldsStore(const std::string& directory);

}  // namespace flarestack::store
