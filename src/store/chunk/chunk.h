// SPDX-License-Identifier: Apache-2.0
//
// Samples of one series in columns: the form in which the store keeps profiles
// (docs/formats/chunk.md describes the bytes).
//
// A row is one event: one timestamp of a sample, or one value of a sample without timestamps. Rows
// with the same attributes are grouped, and each group is sorted by time: the recent activity of
// one thread on one CPU best predicts its next event. The result of a merge does not depend on the
// order of its inputs, so chunks may be merged at any time.
//
// Stacks, attributes and their keys are numbers that the store assigned. Code here never resolves
// them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace flarestack::store {

struct ChunkLink {
  std::array<char, 16> trace_id = {};
  std::array<char, 8> span_id = {};
  friend auto operator<=>(const ChunkLink&, const ChunkLink&) = default;
};

struct ChunkAttribute {
  uint32_t key = 0;        // number of the string
  uint32_t attribute = 0;  // number of the attribute
  friend auto operator<=>(const ChunkAttribute&, const ChunkAttribute&) = default;
};
using ChunkAttributes = std::vector<ChunkAttribute>;  // ascending

// Properties of a profile that apply to all its samples.
struct ChunkProfile {
  uint64_t time = 0;  // ns since the epoch
  uint64_t duration = 0;
  ChunkAttributes attributes;
  bool has_timestamps = true;  // if false, its rows have the time of the profile
  bool has_values = false;     // if false, each row counts 1
  std::string profile_id;      // 16 bytes or empty
  friend auto operator<=>(const ChunkProfile&, const ChunkProfile&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const ChunkProfile& profile) {
    return H::combine(std::move(state), profile.time, profile.duration, profile.profile_id);
  }
};

struct ChunkRow {
  uint64_t time = 0;  // ns since the epoch
  int64_t value = 1;
  uint32_t stack = 0;
  uint32_t attributes = 0;  // position in Chunk::attribute_sets
  uint32_t link = 0;        // position in Chunk::links plus one; 0 is none
  uint32_t profile = 0;     // position in Chunk::profiles
};

struct Chunk {
  // Timers tick on a grid, so times are split at multiples of the period. 1 if no period is known.
  uint64_t period = 1;
  std::vector<ChunkProfile> profiles;
  std::vector<ChunkLink> links;
  std::vector<ChunkAttributes> attribute_sets = {{}};  // initially only the empty set
  std::vector<ChunkRow> rows;
  // The end of each group of rows with ascending times, so that a reader can find the rows of a
  // time without scanning all of them. Set by DecodeChunk; empty if unknown.
  std::vector<uint32_t> group_ends;
};

// Brings a chunk into canonical order, so that equal content is equal: rows by attributes and time;
// profiles, links and sets by content, without duplicates. Drops sets that no row uses.
void Canonicalize(Chunk* chunk);

// Encodes a chunk that is in canonical order.
std::string EncodeChunk(const Chunk& chunk);

// Sums need no attributes, and decoding them is half the work.
enum class ChunkColumns { kAll, kAllButAttributes };

// Returns kDataLoss if the bytes are not a valid encoding.
absl::Status DecodeChunk(std::string_view bytes, Chunk* chunk,
                         ChunkColumns columns = ChunkColumns::kAll);

// The earliest and latest time of all rows and profile starts, both included.
struct ChunkBounds {
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;
  friend bool operator==(const ChunkBounds&, const ChunkBounds&) = default;
};

// Reads the bounds from the head of a chunk. Returns the widest bounds if the head has none.
ChunkBounds ReadChunkBounds(std::string_view bytes);

// Appends the content of `from`, which breaks the canonical order. Call Canonicalize after the last
// one.
void AppendChunk(const Chunk& from, Chunk* to);

}  // namespace flarestack::store
