// SPDX-License-Identifier: Apache-2.0
//
// A RocksDB compaction filter that drops dictionary entries that no kept item can use. Correctness
// does not depend on when it runs.
#pragma once

#include <rocksdb/compaction_filter.h>

#include "store/rocks/database/database.h"

namespace flarestack::store::rocks {

class AgeFilter : public rocksdb::CompactionFilter {
 public:
  // `oldest_hours` must outlive the filter.
  AgeFilter(Family family, const OldestHours* oldest_hours)
      : family_(family), oldest_hours_(*oldest_hours) {}

  // Whether entries of this family have an age stamp.
  static bool AppliesTo(Family family);

  const char* Name() const override { return "flarestack.age"; }
  bool Filter(int level, const rocksdb::Slice& key, const rocksdb::Slice& value,
              std::string* new_value, bool* value_changed) const override;

 private:
  const Family family_;
  const OldestHours& oldest_hours_;
};

}  // namespace flarestack::store::rocks
