// SPDX-License-Identifier: Apache-2.0
//
// Iterates over the chunks of one series.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "store/chunk/chunk.h"
#include "store/rocks/database/database.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// Calls `take` with the bytes of each chunk of a series that may contain rows of the range, or
// profiles that begin in it.
absl::Status ForEachChunkBytes(
    const Database& database, uint32_t series, TimeRange range,
    absl::FunctionRef<absl::Status(uint32_t hour, std::string_view bytes)> take);

// The same with decoded chunks.
absl::Status ForEachChunk(const Database& database, uint32_t series, TimeRange range,
                          ChunkColumns columns,
                          absl::FunctionRef<absl::Status(uint32_t hour, const Chunk&)> take);

// A group of rows with ascending times, split at the bounds of a range.
struct CutGroup {
  std::span<const ChunkRow> before;
  std::span<const ChunkRow> inside;
  std::span<const ChunkRow> after;
};
template <typename Take>
void ForEachGroup(const Chunk& chunk, TimeRange range, Take take) {
  const ChunkRow* begin = chunk.rows.data();
  for (const uint32_t group_end : chunk.group_ends) {
    const ChunkRow* end = chunk.rows.data() + group_end;
    const auto is_before = [](const ChunkRow& row, uint64_t time) { return row.time < time; };
    const ChunkRow* first = std::lower_bound(begin, end, range.from, is_before);
    const ChunkRow* last = std::lower_bound(first, end, range.to, is_before);
    take(CutGroup{.before = {begin, first}, .inside = {first, last}, .after = {last, end}});
    begin = end;
  }
}

// Calls `take` with all rows of a range, and possibly others: the callback must check the time.
template <typename Take>
void ForEachRowNear(const Chunk& chunk, TimeRange range, Take take) {
  const auto take_all = [&](std::span<const ChunkRow> rows) {
    for (const ChunkRow& row : rows)
      take(row);
  };
  if (chunk.group_ends.empty())
    take_all(chunk.rows);
  else
    ForEachGroup(chunk, range, [&](const CutGroup& group) { take_all(group.inside); });
}

// Counts each profile of a series once, even if it occurs in several chunks. Expects the chunks
// hour by hour.
class ProfileTally {
 public:
  // Calls `count` with the profiles that begin in this hour and range and were not counted before.
  void Add(uint32_t hour, std::span<const ChunkProfile> profiles, TimeRange range,
           absl::FunctionRef<void(const ChunkProfile&)> count);

 private:
  uint32_t hour_ = 0;
  absl::flat_hash_set<ChunkProfile> seen_;  // of this hour
};

// The first hour from `hour` on in which the series has a chunk. Leaves the iterator, over
// kSamples, at that chunk.
std::optional<uint32_t> NextHourOf(uint32_t series, uint32_t hour, rocksdb::Iterator* chunks);

// Returns the hour nearest to `hour` that has a chunk of one of these series. Returns nullopt if
// there is none, or too many series and hours to check.
std::optional<uint32_t> NearestHourOf(const Database& database, std::span<const uint32_t> series,
                                      uint32_t hour);

// The hours that have entries in a family, as [first, last]. StoredHours returns nullopt if there
// are none.
struct HourSpan {
  uint32_t first = 0;
  uint32_t last = 0;
};
std::optional<HourSpan> StoredHours(const Database& database, Family family = Family::kSamples);

}  // namespace flarestack::store::rocks
