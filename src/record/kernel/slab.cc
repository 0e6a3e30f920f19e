// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/slab.h"

#include <iterator>

#include "base/check.h"

namespace flarestack::record::agent {

Slab::Slab(const SlabOptions& options) : options_(options) {
  FLARE_CHECK(options.entries_per_chunk > 0 && options.entries % options.entries_per_chunk == 0);
  for (uint32_t begin = 0; begin < options.entries; begin += options.entries_per_chunk)
    free_.emplace(begin, options.entries_per_chunk);
}

std::optional<uint32_t> Slab::Take(uint32_t count, Time now) {
  WakeRested(now);
  if (count == 0)
    return 0;
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    if (range->second < count)
      continue;
    const uint32_t begin = range->first;
    const uint32_t left = range->second - count;
    free_.erase(range);
    if (left > 0)
      free_.emplace(begin + count, left);
    taken_ += count;
    return begin;
  }
  return std::nullopt;
}

void Slab::Free(uint32_t begin, uint32_t count, Time now) {
  if (count > 0)
    resting_.push_back({.until = now + options_.rest, .begin = begin, .count = count});
}

void Slab::WakeRested(Time now) {
  while (!resting_.empty() && resting_.front().until <= now) {
    AddFree(resting_.front().begin, resting_.front().count);
    taken_ -= resting_.front().count;
    resting_.pop_front();
  }
}

void Slab::AddFree(uint32_t begin, uint32_t count) {
  const auto next = free_.lower_bound(begin);
  const bool ends_chunk = (begin + count) % options_.entries_per_chunk == 0;
  if (next != free_.end() && next->first == begin + count && !ends_chunk) {
    count += next->second;
    free_.erase(next);
  }
  const auto after = free_.lower_bound(begin);
  if (after != free_.begin() && begin % options_.entries_per_chunk != 0) {
    const auto before = std::prev(after);
    if (before->first + before->second == begin) {
      before->second += count;
      return;
    }
  }
  free_.emplace(begin, count);
}

}  // namespace flarestack::record::agent
