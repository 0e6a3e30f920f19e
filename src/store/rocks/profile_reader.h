// SPDX-License-Identifier: Apache-2.0
//
// Answers questions about stored profiles as a batch: one resource and scope per series, and in
// them one profile of sums, or the profiles that were sent.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "model/batch.h"
#include "store/chunk.h"
#include "store/rocks/database.h"
#include "store/stack_sums.h"
#include "store/store.h"

namespace flarestack::store::rocks {

absl::StatusOr<model::Batch> ReadProfiles(const Database& database, const ProfileQuery& query);

// Calls `take` with each chunk of a series that may hold rows of the range.
absl::Status ForEachChunk(const Database& database, uint32_t series, TimeRange range,
                          ChunkColumns columns,
                          absl::FunctionRef<absl::Status(uint32_t hour, const Chunk&)> take);

// Calls `count` with the profiles that begin in this hour and range.
void AddProfiles(uint32_t hour, const Chunk& chunk, TimeRange range,
                 absl::FunctionRef<void(const ChunkProfile&)> count);

// The hours that have something of a family, as [first, last]; nothing where there are none.
struct HourSpan {
  uint32_t first = 0;
  uint32_t last = 0;
};
std::optional<HourSpan> StoredHours(const Database& database, Family family = Family::kSamples);

}  // namespace flarestack::store::rocks
