// SPDX-License-Identifier: Apache-2.0
//
// Where numbering continues in each table, and up to which number ids are written: the keys `next`
// and `indexed` of the family `default`.
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

// In the order used by the stored value.
inline constexpr std::array kTables = {
    Table::kString, Table::kFunction, Table::kMapping, Table::kLocation, Table::kAttribute,
    Table::kStack,  Table::kResource, Table::kScope,   Table::kSeries,   Table::kMetric};
inline constexpr size_t kTableCount = kTables.size();

// The first tables are stored in runs, and their ids are written after their entries (id_index.h).
inline constexpr size_t kTablesInRuns = 6;
bool IsKeptInRuns(Table table);

// The name for messages.
std::string_view NameOf(Table table);

struct NextNumbers {
  NextNumbers();

  std::array<uint32_t, kTableCount> next;

  static size_t PositionOf(Table table);
  static absl::StatusOr<NextNumbers> Read(const Database& database);
  void WriteTo(Changes* changes) const;
};

// Ids of written entries, and the numbers below which all entries have their ids.
struct IdsToWrite {
  std::vector<NewId> ids;
  std::array<uint32_t, kTablesInRuns> indexed = {};
};
// Ids per write. After a crash, the next start has to compute up to this many ids again.
inline constexpr size_t kIdsPerTableMax = 1 << 19;

// Writes ids. A write may fail: a missing id costs a new number, but no data. The writer remembers
// that ids are missing, and `indexed` does not advance until CatchUp has computed them from the
// entries. Not thread-safe, and nothing else may write at the same time.
class IdWriter {
 public:
  explicit IdWriter(const Database& database) : database_(database) {}

  void Write(IdsToWrite ids);

  // Writes the ids that failed, or that an earlier process did not write before it ended.
  void CatchUp();
  bool is_behind() const { return is_behind_; }

 private:
  const Database& database_;
  bool is_behind_ = true;
};

}  // namespace flarestack::store::rocks
