// SPDX-License-Identifier: Apache-2.0
//
// Records of consecutive numbers under one key. The new entries of a message have consecutive
// numbers, so thousands of records become a few hundred keys.
//
//   stamp, count, the length of each record, then the records
//
// The key is that of the first number. A run never crosses its page (record_page.h), so a reader
// finds all runs of a page with one seek. The stamp (entry_stamp.h) applies to the whole run: its
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

  // Returns the encoded run, valid until the next Add, and clears the encoder.
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

// Returns kDataLoss if the bytes are not a run, or a run that crosses the page of its first number.
// A value with a stamp of format 2 is a single record.
absl::Status DecodeRun(uint32_t first, std::string_view bytes, Run* run);

// Groups the new records of one table into runs. Call Finish() at the end.
class RunWriter {
 public:
  RunWriter(Table table, uint32_t stamp, Changes* changes)
      : table_(table), stamp_(stamp), changes_(*changes) {}

  void Add(uint32_t number, std::string_view record);  // numbers must ascend
  void Finish();

 private:
  const Table table_;
  const uint32_t stamp_;
  Changes& changes_;
  uint32_t first_ = 0;
  RunEncoder run_;
};

// The runs of one table as currently stored. Bypasses the read caches: they may contain a run that
// was dropped. Lives for one message.
class StoredRuns {
 public:
  StoredRuns(const Database& database, Table table) : database_(database), table_(table) {}

  Table table() const { return table_; }

  struct Entry {
    uint32_t first = 0;  // of its run
    const Run* run = nullptr;
    std::string_view record;
  };
  // Returns nullopt if the number has no record, or a broken one. The result is valid as long as
  // this object.
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
