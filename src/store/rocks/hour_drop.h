// SPDX-License-Identifier: Apache-2.0
//
// Drops whole hours of a signal and reclaims their space. All keys of a signal begin with the hour,
// so an hour is one key range in each of its families.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/rocks/database/database.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// The family that contains every item of a signal.
Family MainFamily(Signal signal);

// Deletes everything before `hour`, permanently once the changes are written.
void DeleteHours(Signal signal, uint32_t hour, Changes* changes);

// Reclaims the space of deleted hours. Buffered data must be flushed first.
absl::Status ReclaimHours(const Database& database, Signal signal, uint32_t hour);

// Rewrites the entries that signals share, dropping those that no kept hour can use.
absl::Status ReclaimShared(const Database& database);

// Approximate size of each hour in tables, oldest first.
absl::StatusOr<std::vector<HourBytes>> ReadBytesByHour(const Database& database);

}  // namespace flarestack::store::rocks
