// SPDX-License-Identifier: Apache-2.0
//
// When entries that signals share (strings, stacks, resources) may go. Each entry is stamped with
// an hour of the data that names it. The stamp may be up to kStampHours older than that data, so
// that a busy entry is written a few times a day and not with every hour:
//
//   data that names an entry with stamp s is of hour s + kStampHours at the latest
//
// The hour is that of the data, not of the clock: data of last week needs its entries for as long
// as it is kept, and no longer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/batch.h"
#include "model/log.h"
#include "model/metric.h"
#include "model/trace.h"

namespace flarestack::store::rocks {

inline constexpr uint32_t kStampHours = 6;

// Stamps of format 2 were days, taken from the clock. All hours that we write are larger, so that
// an entry of format 2 is recognized by its stamp.
inline constexpr uint32_t kHourStampMin = 1 << 17;  // in 1984
inline bool IsDayStamp(uint32_t stamp) { return stamp < kHourStampMin; }

// The stamp for data up to `hour`, where the last one was `stamp`, 0 for none. Never goes back.
inline uint32_t NextStamp(uint32_t stamp, uint32_t hour) {
  return stamp == 0 || hour > stamp + kStampHours ? std::max({hour, stamp, kHourStampMin}) : stamp;
}

// Whether no data from `oldest_hour` on names an entry with this stamp.
inline bool IsOutdated(uint32_t stamp, uint32_t oldest_hour) {
  constexpr uint32_t kHoursPerDay = 24;
  if (IsDayStamp(stamp))  // data might be a day ahead of the clock
    return (stamp + 3) * kHoursPerDay <= oldest_hour;
  return stamp + kStampHours < oldest_hour;
}

// The time of the last item; 0 where there is none.
uint64_t NewestNanos(const model::Batch& batch);
uint64_t NewestNanos(const model::TraceBatch& batch);
uint64_t NewestNanos(const model::LogBatch& batch);
uint64_t NewestNanos(const model::MetricBatch& batch);

}  // namespace flarestack::store::rocks
