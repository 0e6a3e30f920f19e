// SPDX-License-Identifier: Apache-2.0
//
// Chunks that were decoded lately. They are named by the content of their bytes, so that nothing
// has to be told of changes: another content is another chunk. Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <tuple>

#include "absl/status/statusor.h"
#include "base/hash.h"
#include "store/chunk.h"

namespace flarestack::store::rocks {

class ChunkCache {
 public:
  explicit ChunkCache(uint64_t bytes_max) : bytes_max_(bytes_max) {}

  // The chunk that these bytes are. One that has all columns will do for a reader that needs fewer.
  absl::StatusOr<std::shared_ptr<const Chunk>> Decode(std::string_view bytes, ChunkColumns columns);

  // As held now, in bytes.
  uint64_t bytes() const;

 private:
  struct Entry {
    base::Hash128 content;
    ChunkColumns columns = ChunkColumns::kAll;
    std::shared_ptr<const Chunk> chunk;
    uint64_t bytes = 0;
  };
  using Entries = std::list<Entry>;  // the one used last first
  using Key = std::pair<base::Hash128, ChunkColumns>;

  std::shared_ptr<const Chunk> Find(const base::Hash128& content, ChunkColumns columns);
  void Add(Entry entry);

  const uint64_t bytes_max_;
  mutable std::mutex mutex_;
  Entries entries_;  // guarded by mutex_, as all that follows
  std::map<Key, Entries::iterator> places_;
  uint64_t bytes_ = 0;
};

}  // namespace flarestack::store::rocks
