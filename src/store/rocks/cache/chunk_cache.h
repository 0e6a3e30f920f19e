// SPDX-License-Identifier: Apache-2.0
//
// Caches recently decoded chunks, and the totals of others. The key is a hash of the content, so
// changes need no invalidation: different content is a different chunk. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash.h"
#include "store/chunk/chunk.h"
#include "store/chunk/chunk_times.h"
#include "store/chunk/chunk_totals.h"
#include "store/rocks/cache/lru_cache.h"

namespace flarestack::store::rocks {

// The bytes of a chunk and their content hash. Hashing a large chunk takes a while, so keep this
// object if you need it twice.
struct NamedBytes {
  explicit NamedBytes(std::string_view chunk) : bytes(chunk), content(base::HashContent(chunk)) {}

  std::string_view bytes;
  base::Hash128 content;
};

class ChunkCache {
 public:
  explicit ChunkCache(uint64_t bytes_max)
      : chunks_(bytes_max - bytes_max / kTotalsShare), totals_(bytes_max / kTotalsShare) {}

  // Returns the decoded chunk. A cached chunk with all columns also serves readers that need fewer.
  absl::StatusOr<std::shared_ptr<const Chunk>> Decode(const NamedBytes& chunk,
                                                      ChunkColumns columns);

  // The times and values of its rows, and its links.
  absl::StatusOr<std::shared_ptr<const ChunkTimes>> Times(const NamedBytes& chunk);
  absl::StatusOr<std::shared_ptr<const ChunkLinks>> Links(const NamedBytes& chunk);

  // Returns the totals of the rows. They are small, so hours without a roll-up are still cached
  // when they are queried again.
  absl::StatusOr<std::shared_ptr<const ChunkTotals>> AddUp(const NamedBytes& chunk);

  // Current usage.
  uint64_t bytes() const { return chunks_.bytes() + totals_.bytes(); }

 private:
  // Only the member that the Part in the key selects is filled.
  enum class Part { kAll, kAllButAttributes, kTimes, kLinks };
  struct Decoded {
    Chunk chunk;
    ChunkTimes times;
    ChunkLinks links;
  };
  using Key = std::pair<base::Hash128, Part>;
  static constexpr uint64_t kTotalsShare = 5;

  static Part PartOf(ChunkColumns columns);
  std::shared_ptr<const Chunk> Find(const base::Hash128& content, ChunkColumns columns);

  LruCache<Key, Decoded> chunks_;
  LruCache<base::Hash128, ChunkTotals> totals_;
};

}  // namespace flarestack::store::rocks
