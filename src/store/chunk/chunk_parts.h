// SPDX-License-Identifier: Apache-2.0
//
// The parts of an encoded chunk (docs/formats/chunk.md) that several readers need. Private to them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/byte_reader.h"
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

// Never allocates room for more rows than the bytes can encode.
absl::Status ReadChunkStacks(base::ByteReader& in, uint64_t rows, ChunkStacks* stacks);

// Reads the number of rows of each attribute set. The rows of a set are adjacent.
absl::Status ReadChunkSets(base::ByteReader& in, uint64_t rows, std::vector<uint64_t>* sizes);

struct ChunkRowTimes {
  std::vector<uint64_t> times;     // of rows, ns since the epoch
  std::vector<uint64_t> contexts;  // of sets; empty if the chunk has no period
  std::vector<uint64_t> scratch;   // memory for another column, as long as `times`
};
absl::Status ReadChunkRowTimes(base::ByteReader& in, const ChunkHead& head,
                               std::span<const uint64_t> set_sizes, ChunkRowTimes* times);

// Skip the columns without validating their content.
absl::Status SkipChunkStacks(base::ByteReader& in, uint64_t rows);
absl::Status SkipChunkTimes(base::ByteReader& in, const ChunkHead& head);
absl::Status SkipChunkColumn(base::ByteReader& in, uint64_t count);

// Reads only the list. The column that assigns links to rows comes after it.
std::vector<ChunkLink> ReadChunkLinkList(base::ByteReader& in);

// Reads only the list. The column that assigns rows to profiles comes after it.
std::vector<ChunkProfile> ReadChunkProfiles(base::ByteReader& in);

std::vector<uint32_t> ReadAscending(base::ByteReader& in);

}  // namespace flarestack::store
