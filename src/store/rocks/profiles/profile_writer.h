// SPDX-License-Identifier: Apache-2.0
//
// Turns a batch of profiles into changes of the database: new entries of the dictionary, new
// series, and a chunk of rows per series and hour.
//
// Not thread-safe: numbers are given in the order of the calls.
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

  // Samples of this hour and earlier ones take roll-ups away (rollups.h).
  uint32_t rolled_hour = 0;

  // Whenever the interner forgets.
  void Forget();

  absl::StatusOr<AppendedProfiles> Write(const model::Batch& batch, Changes* changes);

  uint64_t memory_bytes() const { return series_.memory_bytes(); }

 private:
  using HourChunks = absl::flat_hash_map<uint32_t, Chunk>;  // by hour

  absl::StatusOr<bool> IsStored(const model::Profile& profile, Changes* changes);
  // Answers how many rows there were.
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

  // Ids that are perhaps not in the database yet. Two sets that take turns: far fewer are on their
  // way than one of them holds.
  absl::flat_hash_set<std::string> fresh_ids_;
  absl::flat_hash_set<std::string> earlier_ids_;

  absl::flat_hash_map<uint32_t, uint32_t> last_minutes_;  // with samples, by series

  struct Fill {
    uint16_t part = 0;
    uint32_t rows = 0;
  };
  absl::flat_hash_map<uint64_t, Fill> fills_;  // by hour and series
};

}  // namespace flarestack::store::rocks
