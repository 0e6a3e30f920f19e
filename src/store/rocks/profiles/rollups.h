// SPDX-License-Identifier: Apache-2.0
//
// Roll-ups: what each stack of a series cost in a minute, an hour or a day that is over, and what
// all of them cost together in each minute of an hour. They only
// save time: a roll-up that is there says what the chunks say, and where there is none the chunks
// are read. A sample that comes late takes the roll-ups of its hour and day away in the batch that
// brings it. The minutes of an hour are one entry, and there is one only where it is much shorter
// to read than the chunks.
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

// The last hour that may have roll-ups; 0 where there is none yet. It may be one behind those that
// are done: who ended while an hour was rolled up has left the roll-ups of some series behind.
absl::StatusOr<uint32_t> ReadLastRollupHour(const Database& database);

// For the batch that brings samples of an hour that is rolled up already.
void DropRollups(uint32_t hour, uint32_t series, Changes* changes);

// Writes what is missing, hour by hour, up to `last_hour`. `enter_hour` is called before an hour is
// begun: whoever appends samples of it from then on must call DropRollups. `write` runs a task when
// all samples appended so far are in the database, and before any others.
struct RollupWork {
  std::function<void(uint32_t hour)> enter_hour;
  std::function<absl::Status(std::function<absl::Status()>)> write;
};
absl::Status BuildRollups(const Database& database, uint32_t last_hour, const RollupWork& work);

// Of an hour or a day. Nothing where there is no such roll-up.
absl::StatusOr<std::optional<StackSums>> ReadRollup(const Database& database, const RollupKey& key);

// Calls `take` with each minute of the range that has samples; false where the minutes of this hour
// are not rolled up.
struct RolledMinutes {
  uint32_t hour = 0;
  uint32_t series = 0;
  MinuteRange range;
};
absl::StatusOr<bool> ForEachRolledMinute(
    const Database& database, const RolledMinutes& minutes,
    absl::FunctionRef<void(uint32_t minute, const StackSums&)> take);

}  // namespace flarestack::store::rocks
