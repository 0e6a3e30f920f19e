// SPDX-License-Identifier: Apache-2.0
//
// A walk over the chunks of one series.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "store/chunk.h"
#include "store/rocks/database.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// Calls `take` with each chunk of a series that may hold rows of the range.
absl::Status ForEachChunk(const Database& database, uint32_t series, TimeRange range,
                          ChunkColumns columns,
                          absl::FunctionRef<absl::Status(uint32_t hour, const Chunk&)> take);

// Calls `count` with the profiles that begin in this hour and range.
void AddProfiles(uint32_t hour, const Chunk& chunk, TimeRange range,
                 absl::FunctionRef<void(const ChunkProfile&)> count);

// The first hour from `hour` on in which the series has a chunk; the iterator, of the samples, then
// stands there.
std::optional<uint32_t> NextHourOf(uint32_t series, uint32_t hour, rocksdb::Iterator* chunks);

// The hour nearest to `hour` that has a chunk of one of these series. Nothing where there is none,
// or where there are too many series and hours to look at.
std::optional<uint32_t> NearestHourOf(const Database& database, std::span<const uint32_t> series,
                                      uint32_t hour);

// The hours that have something of a family, as [first, last]; nothing where there are none.
struct HourSpan {
  uint32_t first = 0;
  uint32_t last = 0;
};
std::optional<HourSpan> StoredHours(const Database& database, Family family = Family::kSamples);

}  // namespace flarestack::store::rocks
