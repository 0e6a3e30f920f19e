// SPDX-License-Identifier: Apache-2.0
//
// Stores and finds series. A series is stored as an OTLP message without samples, so all properties
// of its resource and scope are kept. Next to it are the postings, one key per attribute value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "model/batch.h"
#include "store/rocks/database/database.h"
#include "store/rocks/dictionary/interner.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// A profile of a batch with its parents.
struct ProfilePath {
  const model::Batch& batch;
  const model::Resource& resource;
  const model::Scope& scope;
  const model::Profile& profile;
};

// Assigns numbers to series. Belongs to the writer, like the interner that provides the numbers.
class SeriesNumbers {
 public:
  SeriesNumbers(Interner* interner, uint64_t series_max)
      : interner_(*interner), series_max_(series_max) {}

  // Returns kResourceExhausted for a new series beyond the limit.
  absl::StatusOr<uint32_t> Number(const ProfilePath& path, Changes* changes);

  void Forget() { known_.clear(); }
  uint64_t memory_bytes() const { return known_.capacity() * 32; }

 private:
  Interner& interner_;
  const uint64_t series_max_;
  absl::flat_hash_map<std::pair<uint64_t, uint64_t>, uint32_t> known_;  // by content id
};

// A stored series.
struct StoredSeries {
  uint32_t number = 0;
  model::Batch envelope;  // one resource, scope and profile, no sample
};

absl::StatusOr<StoredSeries> DecodeSeries(uint32_t number, std::string bytes);
absl::StatusOr<StoredSeries> ReadSeries(const Database& database, uint32_t number);
Series Describe(const model::Batch& envelope);

// Removes and returns the matchers whose key no resource has: they apply to samples.
std::vector<Matcher> TakeSampleMatchers(const Database& database, std::vector<Matcher>* matchers);

// The last minute in which a series had samples, counted from the epoch; 0 if unknown.
std::string SeenKey(uint32_t series);
uint32_t LastMinuteOf(const Database& database, uint32_t series);

// All resource attribute keys, sorted, without duplicates.
std::vector<std::string> ResourceKeys(const Database& database);

// For each resource and scope, keeps only the series of the first type that it has.
void KeepBestType(const std::vector<SampleTypeMatcher>& types, std::vector<StoredSeries>* found);

// The matching series, by number.
absl::StatusOr<std::vector<StoredSeries>> FindSeries(const Database& database,
                                                     const SeriesQuery& query);

}  // namespace flarestack::store::rocks
