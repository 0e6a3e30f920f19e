// SPDX-License-Identifier: Apache-2.0
//
// OTLP reserves entry 0 of each table for "not set". An empty table from a sender means the same.
#pragma once

#include "model/dictionary.h"

namespace flarestack::codec::otlp {

// Whether a decoder adds the entries that a sender of the current layout omitted. A conformance
// check wants the tables as sent; all other code relies on entry 0.
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
