// SPDX-License-Identifier: Apache-2.0
//
// File size limits of a database that keep the directory within a disk limit while RocksDB works.
// RocksDB needs space besides the data: for the write-ahead log, for tables being flushed, and for
// compaction output next to its input. Each gets a fixed fraction of the limit, and at most its
// size in a database without a limit.
//
//   write-ahead log       1/16
//   a compaction          1/16, one at a time; from L0 usually up to 1/8
//
// store/disk_quota.h reserves the space for them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace flarestack::store::rocks {

struct DiskShape {
  uint64_t log_bytes_max = 256 << 20;      // of all write-ahead logs
  uint64_t buffer_bytes = 32 << 20;        // per family, before it is flushed
  uint64_t table_bytes = 32 << 20;         // per file
  uint64_t level_bytes = 128 << 20;        // the first level below L0
  uint64_t compaction_bytes = 800 << 20;   // input of one compaction
  int level0_files_max = 36;               // per family; beyond, writers wait
  uint64_t manifest_bytes_max = 64 << 20;  // beyond, a new one is written
  uint64_t info_log_bytes_max = 4 << 20;   // LOG, and the same for LOG.old

  // `stores_max` databases share the limit. 0 bytes: no limit.
  static DiskShape For(uint64_t limit_bytes, uint32_t stores_max) {
    DiskShape shape;
    if (limit_bytes == 0)
      return shape;
    constexpr uint64_t kMiB = 1 << 20;
    const auto part = [&](uint64_t divisor, uint64_t bytes_min, uint64_t bytes_max) {
      return std::clamp(limit_bytes / divisor, bytes_min, bytes_max);
    };
    const uint64_t stores = std::max(stores_max, 1u);
    shape.log_bytes_max = part(16 * stores, kMiB, shape.log_bytes_max);
    shape.buffer_bytes = part(256, kMiB / 8, shape.buffer_bytes);
    shape.table_bytes = part(128, kMiB / 8, shape.table_bytes);
    shape.level_bytes = part(32, kMiB / 2, shape.level_bytes);
    shape.compaction_bytes = part(16, kMiB, shape.compaction_bytes);
    shape.manifest_bytes_max = part(128 * stores, kMiB / 4, shape.manifest_bytes_max);
    shape.info_log_bytes_max = part(256 * stores, kMiB / 16, shape.info_log_bytes_max);
    shape.level0_files_max = 12;
    return shape;
  }
};

}  // namespace flarestack::store::rocks
