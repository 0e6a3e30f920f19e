// SPDX-License-Identifier: Apache-2.0
//
// Roll-ups: the value of each stack of a series in a past minute, hour or day, and the value of all
// stacks together in each minute of an hour. They only save time: a roll-up agrees with the chunks,
// and without one the chunks are read. A late sample invalidates the roll-ups of its hour and day
// in the batch that adds it. The minutes of an hour are one entry, written only if it is much
// shorter to read than the chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/chunk/minute_sums.h"
#include "store/chunk/stack_sums.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/keys.h"

namespace flarestack::store::rocks {

inline constexpr uint32_t kHoursPerDay = 24;

// The last hour that may have roll-ups; 0 if there is none yet. It may be later than the last
// completely rolled-up hour: a process that ended during an hour leaves roll-ups of some series.
absl::StatusOr<uint32_t> ReadLastRollupHour(const Database& database);

// For the batch that adds samples to an hour that is already rolled up.
void DropRollups(uint32_t hour, uint32_t series, Changes* changes);

// Writes missing roll-ups, hour by hour, up to `last_hour`. `enter_hour` is called before an hour
// is started: from then on, a writer that appends samples of that hour must call DropRollups.
// `write` runs a task after all samples appended so far are in the database, and before any others.
struct RollupWork {
  std::function<void(uint32_t hour)> enter_hour;
  std::function<absl::Status(std::function<absl::Status()>)> write;
};
absl::Status BuildRollups(const Database& database, uint32_t last_hour, const RollupWork& work);

// Reads an hour or a day. Returns nullopt if there is no such roll-up.
absl::StatusOr<std::optional<StackSums>> ReadRollup(const Database& database, const RollupKey& key);

// Calls `take` with each minute of the range that has samples. Returns false if the minutes of this
// hour are not rolled up.
struct RolledMinutes {
  uint32_t hour = 0;
  uint32_t series = 0;
  MinuteRange range;
};
absl::StatusOr<bool> ForEachRolledMinute(
    const Database& database, const RolledMinutes& minutes,
    absl::FunctionRef<void(uint32_t minute, const StackSums&)> take);

}  // namespace flarestack::store::rocks
