// SPDX-License-Identifier: Apache-2.0
//
// OTLP reserves entry 0 of each table for "not set". A sender that left a table empty meant just
// that.
#pragma once

#include "model/dictionary.h"

namespace flarestack::codec::otlp {

// Whether a decoder adds the entries that a sender of today's layout left out. A conformance check
// wants the tables as they came; everything else relies on entry 0.
enum class ReservedEntries { kAdded, kAsSent };

inline void EnsureReservedEntries(model::Dictionary* dictionary) {
  const auto ensure = [](auto& table) {
    if (table.empty())
      table.emplace_back();
  };
  ensure(dictionary->mappings);
  ensure(dictionary->locations);
  ensure(dictionary->functions);
  ensure(dictionary->links);
  ensure(dictionary->strings);
  ensure(dictionary->attributes);
  ensure(dictionary->stacks);
}

}  // namespace flarestack::codec::otlp
