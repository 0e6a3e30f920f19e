// SPDX-License-Identifier: Apache-2.0
//
// Samples of one series in columns: what the store keeps of profiles (docs/formats/chunk.md draws
// the bytes).
//
// A row is one event: one timestamp of a sample, or one value of a sample without timestamps. Rows
// with the same attributes stand together, each group in the order of time: what one thread does on
// one CPU tells most about what it does next. The result of a merge does not depend on its order,
// so chunks may be merged whenever it suits.
//
// Stacks, attributes and their keys are numbers that the store gave them. Nothing here looks behind
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

// What was said of a profile once, for all its samples.
struct ChunkProfile {
  uint64_t time = 0;  // ns since the epoch
  uint64_t duration = 0;
  ChunkAttributes attributes;
  bool has_timestamps = true;  // else the time of its rows is that of the profile
  bool has_values = false;     // else each row counts 1
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
  // Timers tick on a grid: times are split at its multiples. 1 where none is known.
  uint64_t period = 1;
  std::vector<ChunkProfile> profiles;
  std::vector<ChunkLink> links;
  std::vector<ChunkAttributes> attribute_sets = {{}};  // to begin with, the empty one
  std::vector<ChunkRow> rows;
  // Where each group of rows ends whose times ascend, so that the rows of a time can be found
  // without looking at all of them. Told by DecodeChunk; empty where nothing is known.
  std::vector<uint32_t> group_ends;
};

// Brings a chunk into the one order that equal content has: rows by attributes and time; profiles,
// links and sets by content, each once; no set that no row has.
void Canonicalize(Chunk* chunk);

// The bytes of a chunk in that order.
std::string EncodeChunk(const Chunk& chunk);

// Sums need no attributes, and telling them is half the work.
enum class ChunkColumns { kAll, kAllButAttributes };

// kDataLoss when the bytes are none that EncodeChunk gives.
absl::Status DecodeChunk(std::string_view bytes, Chunk* chunk,
                         ChunkColumns columns = ChunkColumns::kAll);

// The times between which all rows and the beginnings of all profiles are, both included.
struct ChunkBounds {
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;
  friend bool operator==(const ChunkBounds&, const ChunkBounds&) = default;
};

// As the head of a chunk tells them; the widest where it does not.
ChunkBounds ReadChunkBounds(std::string_view bytes);

// Adds the content of `from`, which leaves the order; Canonicalize when all are there.
void AppendChunk(const Chunk& from, Chunk* to);

}  // namespace flarestack::store
