// SPDX-License-Identifier: Apache-2.0
//
// The embedded store: one RocksDB database in one directory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "store/store.h"

namespace flarestack::store {

struct RocksStoreOptions {
  std::string directory;
  bool sync_each_commit = true;  // else acknowledged data may be lost in a power cut
  uint64_t memory_bytes_max = uint64_t{512} << 20;
  uint64_t series_max = 1'000'000;         // of samples
  uint64_t metric_series_max = 1'000'000;  // of points
};

// kFailedPrecondition when the directory is in use or of a newer format.
absl::StatusOr<std::unique_ptr<Store>> OpenRocksStore(const RocksStoreOptions& options);

}  // namespace flarestack::store
