// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/cache/chunk_cache.h"

#include "base/status.h"

namespace flarestack::store::rocks {
namespace {

uint64_t BytesOf(const std::vector<ChunkProfile>& profiles) {
  uint64_t bytes = profiles.capacity() * sizeof(ChunkProfile);
  for (const ChunkProfile& profile : profiles)
    bytes += profile.attributes.capacity() * sizeof(ChunkAttribute);
  return bytes;
}

uint64_t BytesOf(const Chunk& chunk) {
  uint64_t bytes = sizeof(Chunk) + chunk.rows.capacity() * sizeof(ChunkRow) +
                   chunk.links.capacity() * sizeof(ChunkLink) +
                   chunk.group_ends.capacity() * sizeof(uint32_t) + BytesOf(chunk.profiles);
  for (const ChunkAttributes& set : chunk.attribute_sets)
    bytes += sizeof(set) + set.capacity() * sizeof(ChunkAttribute);
  return bytes;
}

uint64_t BytesOf(const ChunkTotals& totals) {
  return sizeof(ChunkTotals) + totals.sums.stacks.capacity() * sizeof(StackSum) +
         BytesOf(totals.profiles);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Chunk>> ChunkCache::Decode(const NamedBytes& chunk,
                                                                ChunkColumns columns) {
  if (std::shared_ptr<const Chunk> known = Find(chunk.content, columns); known != nullptr)
    return known;
  auto decoded = std::make_shared<Decoded>();
  FLARE_RETURN_IF_ERROR(DecodeChunk(chunk.bytes, &decoded->chunk, columns));
  chunks_.Add({chunk.content, PartOf(columns)}, decoded, BytesOf(decoded->chunk));
  return std::shared_ptr<const Chunk>(decoded, &decoded->chunk);
}

absl::StatusOr<std::shared_ptr<const ChunkTimes>> ChunkCache::Times(const NamedBytes& chunk) {
  std::shared_ptr<const Decoded> known = chunks_.Find({chunk.content, Part::kTimes});
  if (known == nullptr) {
    auto decoded = std::make_shared<Decoded>();
    FLARE_RETURN_IF_ERROR(ReadChunkTimes(chunk.bytes, &decoded->times));
    known = decoded;
    chunks_.Add({chunk.content, Part::kTimes}, known,
                sizeof(Decoded) + decoded->times.times.capacity() * sizeof(uint64_t) +
                    decoded->times.values.capacity() * sizeof(int64_t));
  }
  return std::shared_ptr<const ChunkTimes>(known, &known->times);
}

absl::StatusOr<std::shared_ptr<const ChunkLinks>> ChunkCache::Links(const NamedBytes& chunk) {
  std::shared_ptr<const Decoded> known = chunks_.Find({chunk.content, Part::kLinks});
  if (known == nullptr) {
    auto decoded = std::make_shared<Decoded>();
    FLARE_RETURN_IF_ERROR(ReadChunkLinks(chunk.bytes, &decoded->links));
    known = decoded;
    chunks_.Add({chunk.content, Part::kLinks}, known,
                sizeof(Decoded) + decoded->links.links.capacity() * sizeof(ChunkLink) +
                    BytesOf(decoded->links.profiles));
  }
  return std::shared_ptr<const ChunkLinks>(known, &known->links);
}

absl::StatusOr<std::shared_ptr<const ChunkTotals>> ChunkCache::AddUp(const NamedBytes& chunk) {
  if (std::shared_ptr<const ChunkTotals> known = totals_.Find(chunk.content); known != nullptr)
    return known;
  auto totals = std::make_shared<ChunkTotals>();
  FLARE_RETURN_IF_ERROR(AddUpChunk(chunk.bytes, totals.get()));
  totals_.Add(chunk.content, totals, BytesOf(*totals));
  return std::shared_ptr<const ChunkTotals>(std::move(totals));
}

ChunkCache::Part ChunkCache::PartOf(ChunkColumns columns) {
  return columns == ChunkColumns::kAll ? Part::kAll : Part::kAllButAttributes;
}

std::shared_ptr<const Chunk> ChunkCache::Find(const base::Hash128& content, ChunkColumns columns) {
  std::shared_ptr<const Decoded> known = chunks_.Find({content, PartOf(columns)});
  if (known == nullptr && columns != ChunkColumns::kAll)
    known = chunks_.Find({content, Part::kAll});
  return known == nullptr ? nullptr : std::shared_ptr<const Chunk>(known, &known->chunk);
}

}  // namespace flarestack::store::rocks
