// SPDX-License-Identifier: Apache-2.0
//
// Where numbering goes on in each table, and up to where ids are written: the keys `next` and
// `indexed` of the family `default`.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/dictionary/id_index.h"

namespace flarestack::store::rocks {

// In the order of the value.
inline constexpr std::array kTables = {
    Table::kString, Table::kFunction, Table::kMapping, Table::kLocation, Table::kAttribute,
    Table::kStack,  Table::kResource, Table::kScope,   Table::kSeries,   Table::kMetric};
inline constexpr size_t kTableCount = kTables.size();

// The first of them are kept in runs, and their ids are written later than they are (id_index.h).
inline constexpr size_t kTablesInRuns = 6;
bool IsKeptInRuns(Table table);

// As people say it.
std::string_view NameOf(Table table);

struct NextNumbers {
  NextNumbers();

  std::array<uint32_t, kTableCount> next;

  static size_t PositionOf(Table table);
  static absl::StatusOr<NextNumbers> Read(const Database& database);
  void WriteTo(Changes* changes) const;
};

// Ids of entries that are written, and the numbers before which all entries have theirs.
struct IdsToWrite {
  std::vector<NewId> ids;
  std::array<uint32_t, kTablesInRuns> indexed = {};
};
// So many ids are written at once. A crash costs the time to make as many again at the next start.
inline constexpr size_t kIdsPerTableMax = 1 << 19;

// Writes ids, which may fail: what has none costs new numbers and no data. It is remembered that
// some are missing, and `indexed` stays where it is until CatchUp has made them from the entries.
// Not thread-safe, and nothing else may write meanwhile.
class IdWriter {
 public:
  explicit IdWriter(const Database& database) : database_(database) {}

  void Write(IdsToWrite ids);

  // Writes the ids that an earlier process had not written when it ended, or that failed.
  void CatchUp();
  bool is_behind() const { return is_behind_; }

 private:
  const Database& database_;
  bool is_behind_ = true;
};

}  // namespace flarestack::store::rocks
