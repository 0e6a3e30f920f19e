// SPDX-License-Identifier: Apache-2.0
//
// Drops what has grown old from families whose keys do not begin with a time, while RocksDB
// rewrites its files anyway. Nothing depends on when that happens: what is too old is not shown
// either.
#pragma once

#include <rocksdb/compaction_filter.h>

#include <atomic>
#include <cstdint>

#include "store/rocks/database.h"

namespace flarestack::store::rocks {

class AgeFilter : public rocksdb::CompactionFilter {
 public:
  // `oldest_hour` must outlive the filter.
  AgeFilter(Family family, const std::atomic<uint32_t>* oldest_hour)
      : family_(family), oldest_hour_(*oldest_hour) {}

  // Whether entries of this family have an age that can be told.
  static bool AppliesTo(Family family);

  const char* Name() const override { return "flarestack.age"; }
  bool Filter(int level, const rocksdb::Slice& key, const rocksdb::Slice& value,
              std::string* new_value, bool* value_changed) const override;

 private:
  const Family family_;
  const std::atomic<uint32_t>& oldest_hour_;
};

}  // namespace flarestack::store::rocks
