// SPDX-License-Identifier: Apache-2.0
//
// The tables of a pprof profile out of an OTLP dictionary, and what of their attributes pprof has
// no field for. Private to from_otlp.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "codec/pprof/envelope.h"
#include "codec/pprof/message/profile.h"
#include "model/batch.h"

namespace flarestack::codec::pprof {

// Attributes of one mapping or location that go into the envelope.
struct Extra {
  uint64_t id = 0;  // of the pprof entry
  std::vector<model::AttributeIndex> attributes;
};

struct Extras {
  std::vector<Extra> mappings;
  std::vector<Extra> locations;
};

// Which entries of the dictionary the tables have, in their order.
struct TableEntries {
  std::vector<uint32_t> mappings;
  std::vector<uint32_t> functions;
  std::vector<uint32_t> locations;
};
TableEntries AllEntries(const model::Dictionary& dictionary);
// Those that a sample leads to, in the order in which samples do: whatever else the dictionary has,
// the same samples give the same tables.
TableEntries UsedEntries(const model::Batch& batch);

// Fills mappings, functions, locations and lines. The reserved entry 0 of functions and locations
// becomes the last position when a line or stack refers to it.
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
  // By entry of the dictionary.
  std::vector<uint32_t> mapping_positions_;
  std::vector<uint32_t> function_positions_;
  std::vector<uint32_t> location_positions_;
  bool has_empty_function_ = false;
  uint32_t empty_location_ = kNoMapping;
};

// The ids that scope attributes hold, where there are as many as table entries and none is 0 or
// there twice.
EntryIds StoredIds(const model::Batch& batch, const model::Scope& scope);

// The envelope of a message without the ids that fit its tables no more, and so mean nothing: all
// but `ids`, which are those of `scope`. Nothing where there are none such.
absl::StatusOr<std::optional<model::Batch>> WithoutStaleIds(const model::Batch& batch,
                                                            uint32_t scope, const EntryIds& ids);

}  // namespace flarestack::codec::pprof
