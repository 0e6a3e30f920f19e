// SPDX-License-Identifier: Apache-2.0
//
// The parts of a chunk's bytes (docs/formats/chunk.md) that each of its readers wants. Private to
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/byte_io.h"
#include "store/chunk/chunk.h"

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

// How many rows each set of attributes has; the rows of a set stand together.
absl::Status ReadChunkSets(base::ByteReader& in, uint64_t rows, std::vector<uint64_t>* sizes);

struct ChunkRowTimes {
  std::vector<uint64_t> times;     // of rows, ns since the epoch
  std::vector<uint64_t> contexts;  // of sets; empty where the chunk has no period
  std::vector<uint64_t> scratch;   // as long as `times`: memory for another column
};
absl::Status ReadChunkRowTimes(base::ByteReader& in, const ChunkHead& head,
                               std::span<const uint64_t> set_sizes, ChunkRowTimes* times);

// Walks over the columns of times and of sets. What they hold is not looked at.
absl::Status SkipChunkStacks(base::ByteReader& in, uint64_t rows);
absl::Status SkipChunkTimes(base::ByteReader& in, const ChunkHead& head);
absl::Status SkipChunkColumn(base::ByteReader& in, uint64_t count);

// The list; which of them each row has stands behind it.
std::vector<ChunkLink> ReadChunkLinkList(base::ByteReader& in);

// The list; which of them each row belongs to stands behind it.
std::vector<ChunkProfile> ReadChunkProfiles(base::ByteReader& in);

std::vector<uint32_t> ReadAscending(base::ByteReader& in);

}  // namespace flarestack::store
