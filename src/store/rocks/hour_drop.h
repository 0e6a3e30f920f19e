// SPDX-License-Identifier: Apache-2.0
//
// Drops whole hours of a signal and reclaims their space. All keys of a signal begin with the hour,
// so an hour is one key range in each of its families.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/signal.h"
#include "store/rocks/database/database.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// The family that every item of a signal is in.
Family MainFamily(model::Signal signal);

// Hides everything before `hour`, for good once the changes are written.
void DeleteHours(model::Signal signal, uint32_t hour, Changes* changes);

// Frees the space of hours that were deleted. Buffered data must be flushed.
absl::Status ReclaimHours(const Database& database, model::Signal signal, uint32_t hour);

// Rewrites the entries that signals share, dropping those that no kept hour can use.
absl::Status ReclaimShared(const Database& database);

// Approximate size of each hour in tables, oldest first.
absl::StatusOr<std::vector<HourBytes>> ReadBytesByHour(const Database& database);

}  // namespace flarestack::store::rocks
