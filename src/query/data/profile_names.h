// SPDX-License-Identifier: Apache-2.0
//
// Function names for stored frames that have only an address. They are looked up at each read, so
// that a symbol table that arrives later names older data, too.
#pragma once

#include <cstdint>

#include "model/batch.h"
#include "symbol/name_cache.h"
#include "symbol/symbolizer.h"

namespace flarestack::query {

// Thread-safe.
class ProfileNames {
 public:
  // The symbolizer must outlive it.
  explicit ProfileNames(symbol::Symbolizer* symbolizer) : symbolizer_(*symbolizer) {}

  // Starts to look for the symbols of the batch in the background: they may be needed soon.
  void Prefetch(const model::Batch& batch) const;

  // Names the frames whose tables are ready, and requests the missing tables.
  void AddTo(model::Batch* batch);

  // Changes whenever AddTo() may add other names.
  uint64_t generation() const { return symbolizer_.generation(); }

 private:
  symbol::Symbolizer& symbolizer_;
  symbol::NameCache cache_;
};

}  // namespace flarestack::query
