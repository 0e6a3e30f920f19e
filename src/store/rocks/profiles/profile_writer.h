// SPDX-License-Identifier: Apache-2.0
//
// Turns a batch of profiles into database changes: new dictionary entries, new series, and a chunk
// of rows per series and hour.
//
// Not thread-safe: numbers are assigned in call order.
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "store/chunk/chunk.h"
#include "store/rocks/dictionary/interner.h"
#include "store/rocks/profiles/series_index.h"
#include "store/store.h"

namespace flarestack::store::rocks {

class ProfileWriter {
 public:
  // Both must outlive the writer.
  ProfileWriter(const Database& database, Interner* interner, uint64_t series_max)
      : database_(database), interner_(*interner), series_(interner, series_max) {}

  // Samples of this hour and earlier ones invalidate roll-ups (rollups.h).
  uint32_t rolled_hour = 0;

  // Call whenever the interner forgets.
  void Forget();

  absl::StatusOr<AppendedProfiles> Write(const model::Batch& batch, Changes* changes);

  uint64_t memory_bytes() const { return series_.memory_bytes(); }

 private:
  using HourChunks = absl::flat_hash_map<uint32_t, Chunk>;  // by hour

  absl::StatusOr<bool> IsStored(const model::Profile& profile, Changes* changes);
  // Returns the number of rows written.
  uint64_t WriteRows(const ProfilePath& path, uint32_t series, model::DictionaryMerger* merger,
                     Changes* changes);
  void MergeChunks(uint32_t series, HourChunks* hours, Changes* changes);
  void MergeChunk(uint32_t series, uint32_t hour, Chunk* chunk, Changes* changes);
  void NoteMinute(uint32_t series, uint32_t minute, Changes* changes);
  uint16_t FirstPart(uint32_t series, uint32_t hour) const;
  uint16_t PartFor(uint32_t series, uint32_t hour, size_t rows);

  const Database& database_;
  Interner& interner_;
  SeriesNumbers series_;

  // Ids that may not be in the database yet. Two sets alternate; the number of ids in flight is far
  // smaller than one set.
  absl::flat_hash_set<std::string> fresh_ids_;
  absl::flat_hash_set<std::string> earlier_ids_;

  absl::flat_hash_map<uint32_t, uint32_t> last_minutes_;  // last minute with samples, by series

  struct Fill {
    uint16_t part = 0;
    uint32_t rows = 0;
  };
  absl::flat_hash_map<uint64_t, Fill> fills_;  // by hour and series
};

}  // namespace flarestack::store::rocks
