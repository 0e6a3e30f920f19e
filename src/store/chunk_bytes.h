// SPDX-License-Identifier: Apache-2.0
//
// What the encoder and the decoder of chunks agree on (docs/formats/chunk.md). Private to the two.
#pragma once

#include <cstdint>
#include <vector>

#include "store/chunk.h"

namespace flarestack::store {

inline constexpr char kChunkVersion = 1;

enum ChunkProfileFlag : uint8_t {
  kHasTimestamps = 1,
  kHasValues = 2,
  kHasId = 4,
  kDurationIsSpan = 8,  // the duration is told by its difference from first to last row
};

// How the rows of an attribute column are told.
enum ChunkColumnForm : char {
  kEachRow = 0,
  kConstant = 1,
  kIsContext = 2,  // it stands with the times already
};

// First and last row of each profile, which its own times usually are.
struct RowSpan {
  uint64_t first = 0;
  uint64_t last = 0;
  bool has_rows = false;
};
std::vector<RowSpan> RowSpans(const Chunk& chunk);

// The remainder of a time in its period hardly changes from one tick of a CPU to its next, so it is
// told by its difference from the last row with the same value of one attribute: the one that makes
// the differences smallest, which is the CPU's or the thread's.
class Remainders {
 public:
  explicit Remainders(size_t contexts) : last_(contexts, kNone) {}

  uint64_t Expected(uint32_t context) const {
    return last_[context] == kNone ? last_of_any_ : last_[context];
  }
  void Met(uint32_t context, uint64_t remainder) { last_[context] = last_of_any_ = remainder; }

 private:
  static constexpr uint64_t kNone = UINT64_MAX;
  std::vector<uint64_t> last_;
  uint64_t last_of_any_ = 0;
};

}  // namespace flarestack::store
