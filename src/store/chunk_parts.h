// SPDX-License-Identifier: Apache-2.0
//
// The parts of a chunk's bytes (docs/formats/chunk.md) that each of its readers wants. Private to
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/byte_io.h"
#include "store/chunk.h"

namespace flarestack::store {

absl::Status BrokenChunk(std::string_view what);

struct ChunkHead {
  uint64_t rows = 0;
  uint64_t period = 0;
  std::optional<ChunkBounds> bounds;
};

absl::Status ReadChunkHead(base::ByteReader& in, ChunkHead* head);

struct ChunkStacks {
  std::vector<uint32_t> stacks;   // ascending
  std::vector<uint32_t> of_rows;  // positions in `stacks`
};

// No more rows are made room for than the bytes can be of.
absl::Status ReadChunkStacks(base::ByteReader& in, uint64_t rows, ChunkStacks* stacks);

// The list; which of them each row belongs to stands behind it.
std::vector<ChunkProfile> ReadChunkProfiles(base::ByteReader& in);

std::vector<uint32_t> ReadAscending(base::ByteReader& in);

}  // namespace flarestack::store
