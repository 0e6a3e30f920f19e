// SPDX-License-Identifier: Apache-2.0
//
// Assembles rows into samples again. A sample has the rows of one profile with the same stack,
// attributes and link.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "store/chunk/chunk.h"
#include "store/rocks/database/read_control.h"
#include "store/rocks/profiles/row_filter.h"
#include "store/store.h"

namespace flarestack::store::rocks {

struct SampleIdentity {
  uint32_t stack = 0;
  ChunkAttributes attributes;
  std::optional<ChunkLink> link;
  friend auto operator<=>(const SampleIdentity&, const SampleIdentity&) = default;
};

struct SampleEvents {
  std::vector<int64_t> values;
  std::vector<uint64_t> times;
};

using Samples = std::map<SampleIdentity, SampleEvents>;
using SamplesByProfile = std::map<ChunkProfile, Samples>;

// Adds the rows of a chunk that are in the range and that the filter accepts. Call
// filter.Enter(chunk) first.
absl::Status AddEvents(const Chunk& chunk, TimeRange range, const RowFilter& filter,
                       ReadControl* control, SamplesByProfile* profiles);

}  // namespace flarestack::store::rocks
