// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as chunks and roll-ups: they are rejected, or decode to something that survives a
// round trip. The totals of a chunk equal the sums of its rows.
#include <string_view>
#include <utility>

#include "base/check.h"
#include "store/chunk/chunk.h"
#include "store/chunk/chunk_totals.h"
#include "store/chunk/stack_sums.h"

namespace store = flarestack::store;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  store::Chunk chunk;
  store::ChunkTotals totals;
  const bool adds_up = store::AddUpChunk(bytes, &totals).ok();
  if (store::DecodeChunk(bytes, &chunk).ok()) {
    FLARE_CHECK(adds_up);
    store::StackSummer summer;
    for (const store::ChunkRow& row : chunk.rows)
      summer.Add(row.stack, row.value, 1);
    FLARE_CHECK(std::move(summer).Finish() == totals.sums);
    store::Canonicalize(&chunk);
    const std::string encoded = store::EncodeChunk(chunk);
    store::Chunk again;
    FLARE_CHECK(store::DecodeChunk(encoded, &again).ok());
    store::Canonicalize(&again);
    FLARE_CHECK(store::EncodeChunk(again) == encoded);
    store::Chunk without;
    FLARE_CHECK(store::DecodeChunk(encoded, &without, store::ChunkColumns::kAllButAttributes).ok());
    FLARE_CHECK(without.rows.size() == chunk.rows.size());
  }
  store::StackSums sums;
  if (store::DecodeStackSums(bytes, &sums).ok()) {
    store::StackSums again;
    FLARE_CHECK(store::DecodeStackSums(store::EncodeStackSums(sums), &again).ok());
    FLARE_CHECK(sums == again);
  }
  return 0;
}
