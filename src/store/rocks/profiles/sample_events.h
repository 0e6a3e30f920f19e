// SPDX-License-Identifier: Apache-2.0
//
// Rows put together into samples again: those of one stack, with the same attributes and link, in
// one profile.
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

// Adds the rows of a chunk, which the filter has entered, that are in the range.
absl::Status AddEvents(const Chunk& chunk, TimeRange range, const RowFilter& filter,
                       ReadControl* control, SamplesByProfile* profiles);

}  // namespace flarestack::store::rocks
