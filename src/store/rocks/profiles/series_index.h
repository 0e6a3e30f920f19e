// SPDX-License-Identifier: Apache-2.0
//
// Which series there are, and how one finds them. A series is kept as an OTLP message without
// samples, so nothing that was said of a resource or scope is lost; beside it stand the postings,
// one key per attribute value.
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

// The profile of a batch with all that stands above it.
struct ProfilePath {
  const model::Batch& batch;
  const model::Resource& resource;
  const model::Scope& scope;
  const model::Profile& profile;
};

// Gives numbers to series. Belongs to the writer, like the interner it draws them from.
class SeriesNumbers {
 public:
  SeriesNumbers(Interner* interner, uint64_t series_max)
      : interner_(*interner), series_max_(series_max) {}

  // kResourceExhausted when there are as many series as there may be.
  absl::StatusOr<uint32_t> Number(const ProfilePath& path, Changes* changes);

  void Forget() { known_.clear(); }
  uint64_t memory_bytes() const { return known_.capacity() * 32; }

 private:
  Interner& interner_;
  const uint64_t series_max_;
  absl::flat_hash_map<std::pair<uint64_t, uint64_t>, uint32_t> known_;  // by content id
};

// One series as it is stored.
struct StoredSeries {
  uint32_t number = 0;
  model::Batch envelope;  // one resource, scope and profile, no sample
};

absl::StatusOr<StoredSeries> DecodeSeries(uint32_t number, std::string bytes);
absl::StatusOr<StoredSeries> ReadSeries(const Database& database, uint32_t number);
Series Describe(const model::Batch& envelope);

// Takes away those whose key no resource has: they are about samples.
std::vector<Matcher> TakeSampleMatchers(const Database& database, std::vector<Matcher>* matchers);

// The last minute in which a series had samples, as hours are counted; 0 where that is not known.
std::string SeenKey(uint32_t series);
uint32_t LastMinuteOf(const Database& database, uint32_t series);

// The keys that attributes of resources have, each once, sorted.
std::vector<std::string> ResourceKeys(const Database& database);

// Of one resource and scope, only those of the first type that it has.
void KeepBestType(const std::vector<SampleTypeMatcher>& types, std::vector<StoredSeries>* found);

// Those that match, by number.
absl::StatusOr<std::vector<StoredSeries>> FindSeries(const Database& database,
                                                     const SeriesQuery& query);

}  // namespace flarestack::store::rocks
