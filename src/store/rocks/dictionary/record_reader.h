// SPDX-License-Identifier: Apache-2.0
//
// Reads the records of one dictionary table, page by page. Lives for one query.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "store/rocks/cache/record_page.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/keys.h"

namespace flarestack::store::rocks {

class RecordReader {
 public:
  RecordReader(const Database& database, Table table) : database_(database), table_(table) {}

  // Returns the record, valid until the next call, or kDataLoss if there is none.
  absl::StatusOr<std::string_view> Read(uint32_t number);

 private:
  absl::StatusOr<std::shared_ptr<const RecordPage>> ReadPage(uint32_t page_number) const;
  absl::StatusOr<std::string_view> ReadAlone(uint32_t number);
  uint64_t CacheKey(uint32_t page_number) const {
    return uint64_t{static_cast<uint8_t>(table_)} << 32 | page_number;
  }

  const Database& database_;
  const Table table_;
  const RecordPage* FindPage(uint32_t page_number);

  // Pages used so far, so that the cache, which all threads share, is accessed once per page.
  absl::flat_hash_map<uint32_t, std::shared_ptr<const RecordPage>> pages_;
  uint32_t page_number_ = 0;
  const RecordPage* page_ = nullptr;  // in pages_; null before the first
  std::string alone_;                 // a record that does not fit into a page
};

}  // namespace flarestack::store::rocks
