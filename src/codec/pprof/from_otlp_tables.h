// SPDX-License-Identifier: Apache-2.0
//
// Builds the tables of a pprof profile from an OTLP dictionary, and collects the attributes that
// have no pprof field. Private to from_otlp.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "codec/pprof/envelope.h"
#include "codec/pprof/message/profile.h"
#include "model/batch.h"

namespace flarestack::codec::pprof {

// Attributes of one mapping or location that are stored in the envelope.
struct Extra {
  uint64_t id = 0;  // of the pprof entry
  std::vector<model::AttributeIndex> attributes;
};

struct Extras {
  std::vector<Extra> mappings;
  std::vector<Extra> locations;
};

// The dictionary entries that the tables contain, in order.
struct TableEntries {
  std::vector<uint32_t> mappings;
  std::vector<uint32_t> functions;
  std::vector<uint32_t> locations;
};
TableEntries AllEntries(const model::Dictionary& dictionary);
// The entries that samples refer to, in the order of first use: the same samples give the same
// tables, regardless of other dictionary entries.
TableEntries UsedEntries(const model::Batch& batch);

// Fills mappings, functions, locations and lines. The reserved entry 0 of functions and locations
// becomes the last position if a line or stack refers to it.
class TableWriter {
 public:
  TableWriter(const model::Dictionary& dictionary, const EntryIds& ids, TableEntries entries,
              Profile* profile);

  Extras Write();

  uint32_t PositionOf(model::LocationIndex location);

 private:
  void WriteMapping(size_t index, Extras* extras);
  void WriteFunction(size_t index);
  void WriteLocation(size_t index, Extras* extras);
  uint32_t PositionOf(model::FunctionIndex function);

  const model::Dictionary& dictionary_;
  const EntryIds& ids_;
  const TableEntries entries_;
  Profile& profile_;
  // Indexed by dictionary entry.
  std::vector<uint32_t> mapping_positions_;
  std::vector<uint32_t> function_positions_;
  std::vector<uint32_t> location_positions_;
  bool has_empty_function_ = false;
  uint32_t empty_location_ = kNoMapping;
};

// The ids in the scope attributes, if there is one per table entry and none is 0 or a duplicate.
EntryIds StoredIds(const model::Batch& batch, const model::Scope& scope);

// Returns the envelope of a message without stale ids, which no longer match its tables: all ids
// except `ids`, which belong to `scope`. Returns nullopt if there are no stale ids.
absl::StatusOr<std::optional<model::Batch>> WithoutStaleIds(const model::Batch& batch,
                                                            uint32_t scope, const EntryIds& ids);

}  // namespace flarestack::codec::pprof
