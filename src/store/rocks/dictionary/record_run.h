// SPDX-License-Identifier: Apache-2.0
//
// Records of consecutive numbers under one key. A message brings its new entries with numbers one
// behind the other, so that thousands of records become some hundred keys.
//
//   stamp, count, the length of each record, then the records
//
// The key is that of the first number. A run never leaves its page (record_page.h): a reader finds
// all runs of a page behind one seek. The stamp (entry_stamp.h) is that of the whole run: its
// entries are kept and dropped together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/keys.h"

namespace flarestack::store::rocks {

class RunEncoder {
 public:
  void Add(std::string_view record);
  uint32_t count() const { return count_; }

  // The value of the run, good until the next Add; the encoder is empty again.
  std::string_view Take(uint32_t stamp);

 private:
  uint32_t count_ = 0;
  std::string lengths_;
  std::string records_;
  std::string bytes_;
};

struct Run {
  uint32_t stamp = 0;
  std::vector<std::string_view> records;  // point into the bytes that were decoded
};

// kDataLoss when the bytes are no run, or one that leaves the page of its first number. What has
// the stamp of format 2 is one record.
absl::Status DecodeRun(uint32_t first, std::string_view bytes, Run* run);

// Puts the new records of one table into runs. Call Finish() at the end.
class RunWriter {
 public:
  RunWriter(Table table, uint32_t stamp, Changes* changes)
      : table_(table), stamp_(stamp), changes_(*changes) {}

  void Add(uint32_t number, std::string_view record);  // numbers ascend
  void Finish();

 private:
  const Table table_;
  const uint32_t stamp_;
  Changes& changes_;
  uint32_t first_ = 0;
  RunEncoder run_;
};

// The runs of one table as the database has them now. The caches of readers are left out: they may
// know a run that was dropped. Lives for one message.
class StoredRuns {
 public:
  StoredRuns(const Database& database, Table table) : database_(database), table_(table) {}

  Table table() const { return table_; }

  struct Entry {
    uint32_t first = 0;  // of its run
    const Run* run = nullptr;
    std::string_view record;
  };
  // Nothing where the number has no record, or a broken one. Good as long as this object.
  absl::StatusOr<std::optional<Entry>> Find(uint32_t number);

 private:
  struct StoredRun {
    uint32_t first = 0;
    std::unique_ptr<std::string> bytes;
    Run run;
  };
  using Page = std::vector<StoredRun>;
  absl::StatusOr<Page> ReadPage(uint32_t page_number);

  const Database& database_;
  const Table table_;
  std::unique_ptr<rocksdb::Iterator> at_;  // null before the first page
  absl::flat_hash_map<uint32_t, Page> pages_;
};

}  // namespace flarestack::store::rocks
