// SPDX-License-Identifier: Apache-2.0
//
// Decides when entries shared by signals (strings, stacks, resources) may be dropped. Each entry is
// stamped with an hour of the data that uses it. The stamp may be up to kStampHours older than that
// data, so that a busy entry is written a few times a day and not every hour:
//
//   data that uses an entry with stamp s is of hour s + kStampHours at the latest
//
// The hour is that of the data, not of the clock: data of last week needs its entries exactly as
// long as it is kept.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/batch.h"
#include "model/log.h"
#include "model/metric.h"
#include "model/trace.h"

namespace flarestack::store::rocks {

inline constexpr uint32_t kStampHours = 6;

// Stamps of format 2 were days of the clock. All hours that we write are larger, so a stamp shows
// whether its entry has format 2.
inline constexpr uint32_t kHourStampMin = 1 << 17;  // in 1984
inline bool IsDayStamp(uint32_t stamp) { return stamp < kHourStampMin; }

// The stamp for data up to `hour`, given the previous stamp (0 for none). Never decreases.
inline uint32_t NextStamp(uint32_t stamp, uint32_t hour) {
  return stamp == 0 || hour > stamp + kStampHours ? std::max({hour, stamp, kHourStampMin}) : stamp;
}

// Whether no data from `oldest_hour` on uses an entry with this stamp.
inline bool IsOutdated(uint32_t stamp, uint32_t oldest_hour) {
  constexpr uint32_t kHoursPerDay = 24;
  if (IsDayStamp(stamp))  // data might be a day ahead of the clock
    return (stamp + 3) * kHoursPerDay <= oldest_hour;
  return stamp + kStampHours < oldest_hour;
}

// The time of the newest item; 0 if there is none.
uint64_t NewestNanos(const model::Batch& batch);
uint64_t NewestNanos(const model::TraceBatch& batch);
uint64_t NewestNanos(const model::LogBatch& batch);
uint64_t NewestNanos(const model::MetricBatch& batch);

}  // namespace flarestack::store::rocks
