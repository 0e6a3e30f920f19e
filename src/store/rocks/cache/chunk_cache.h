// SPDX-License-Identifier: Apache-2.0
//
// Chunks that were decoded lately, and what others add up to. They are named by the content of
// their bytes, so that nothing has to be told of changes: another content is another chunk.
// Thread-safe.
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

// The bytes of a chunk and the name that their content gives them. That takes a while for a large
// one, so that who needs it twice keeps it.
struct NamedBytes {
  explicit NamedBytes(std::string_view chunk) : bytes(chunk), content(base::HashContent(chunk)) {}

  std::string_view bytes;
  base::Hash128 content;
};

class ChunkCache {
 public:
  explicit ChunkCache(uint64_t bytes_max)
      : chunks_(bytes_max - bytes_max / kTotalsShare), totals_(bytes_max / kTotalsShare) {}

  // The chunk that these bytes are. One that has all columns will do for a reader that needs fewer.
  absl::StatusOr<std::shared_ptr<const Chunk>> Decode(const NamedBytes& chunk,
                                                      ChunkColumns columns);

  // The times and values of its rows, and its links.
  absl::StatusOr<std::shared_ptr<const ChunkTimes>> Times(const NamedBytes& chunk);
  absl::StatusOr<std::shared_ptr<const ChunkLinks>> Links(const NamedBytes& chunk);

  // What the rows of these bytes add up to. Small, so that the hours that have no roll-up yet are
  // still known when they are asked about again.
  absl::StatusOr<std::shared_ptr<const ChunkTotals>> AddUp(const NamedBytes& chunk);

  // As held now.
  uint64_t bytes() const { return chunks_.bytes() + totals_.bytes(); }

 private:
  // Of all that is kept of a chunk one is filled, as the key says.
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
