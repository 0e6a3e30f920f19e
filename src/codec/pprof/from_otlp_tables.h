// SPDX-License-Identifier: Apache-2.0
//
// The tables of a pprof profile out of an OTLP dictionary, and what of their attributes pprof has
// no field for. Private to from_otlp.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/pprof/envelope.h"
#include "codec/pprof/profile.h"
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

// Fills mappings, functions, locations and lines. Entry i + 1 of the dictionary becomes position i;
// the reserved entry 0 of functions and locations becomes the last position when a line or stack
// refers to it (see position_of_none).
class TableWriter {
 public:
  TableWriter(const model::Dictionary& dictionary, const EntryIds& ids, Profile* profile)
      : dictionary_(dictionary), ids_(ids), profile_(*profile) {}

  Extras Write();

  uint32_t PositionOf(model::LocationIndex location);

 private:
  void WriteMapping(size_t index, Extras* extras);
  void WriteFunctions();
  void WriteLocation(size_t index, Extras* extras);
  uint32_t PositionOf(model::FunctionIndex function);

  const model::Dictionary& dictionary_;
  const EntryIds& ids_;
  Profile& profile_;
  bool has_empty_function_ = false;
  uint32_t empty_location_ = kNoMapping;
};

// The ids that scope attributes hold, where there are as many as table entries and none is 0 or
// there twice.
EntryIds StoredIds(const model::Batch& batch, const model::Scope& scope);

}  // namespace flarestack::codec::pprof
