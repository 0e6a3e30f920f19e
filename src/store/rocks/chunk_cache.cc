// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/chunk_cache.h"

#include "base/status.h"

namespace flarestack::store::rocks {
namespace {

uint64_t BytesOf(const Chunk& chunk) {
  uint64_t bytes = sizeof(Chunk) + chunk.rows.capacity() * sizeof(ChunkRow) +
                   chunk.links.capacity() * sizeof(ChunkLink) +
                   chunk.group_ends.capacity() * sizeof(uint32_t) +
                   chunk.profiles.capacity() * sizeof(ChunkProfile);
  for (const ChunkAttributes& set : chunk.attribute_sets)
    bytes += sizeof(set) + set.capacity() * sizeof(ChunkAttribute);
  return bytes;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Chunk>> ChunkCache::Decode(std::string_view bytes,
                                                                ChunkColumns columns) {
  const base::Hash128 content = base::HashContent(bytes);
  if (std::shared_ptr<const Chunk> known = Find(content, columns); known != nullptr)
    return known;
  auto chunk = std::make_shared<Chunk>();
  FLARE_RETURN_IF_ERROR(DecodeChunk(bytes, chunk.get(), columns));
  const uint64_t chunk_bytes = BytesOf(*chunk);
  // One that would push most others out is not worth its place.
  if (chunk_bytes <= bytes_max_ / 2)
    Add({.content = content, .columns = columns, .chunk = chunk, .bytes = chunk_bytes});
  return std::shared_ptr<const Chunk>(std::move(chunk));
}

uint64_t ChunkCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::shared_ptr<const Chunk> ChunkCache::Find(const base::Hash128& content, ChunkColumns columns) {
  const std::lock_guard lock(mutex_);
  auto at = places_.find({content, columns});
  if (at == places_.end() && columns != ChunkColumns::kAll)
    at = places_.find({content, ChunkColumns::kAll});
  if (at == places_.end())
    return nullptr;
  entries_.splice(entries_.begin(), entries_, at->second);
  return at->second->chunk;
}

void ChunkCache::Add(Entry entry) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = places_.try_emplace({entry.content, entry.columns}, entries_.end());
  if (!is_new)
    return;  // another thread was quicker
  bytes_ += entry.bytes;
  entries_.push_front(std::move(entry));
  at->second = entries_.begin();
  while (bytes_ > bytes_max_) {
    const Entry& last = entries_.back();
    bytes_ -= last.bytes;
    places_.erase({last.content, last.columns});
    entries_.pop_back();
  }
}

}  // namespace flarestack::store::rocks
