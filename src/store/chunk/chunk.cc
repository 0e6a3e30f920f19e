// SPDX-License-Identifier: Apache-2.0
//
// Ordering and joining chunks. The encoding is in chunk_encoder.cc and chunk_decoder.cc.
#include "store/chunk/chunk.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace flarestack::store {
namespace {

auto Key(const ChunkRow& row) {
  return std::tie(row.attributes, row.time, row.stack, row.link, row.profile, row.value);
}

// Sorts `items`, drops duplicates, and returns the new position of each item.
template <typename T>
std::vector<uint32_t> SortUnique(std::vector<T>* items) {
  std::vector<uint32_t> order(items->size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return (*items)[a] < (*items)[b]; });
  std::vector<uint32_t> moved_to(items->size());
  std::vector<T> sorted;
  sorted.reserve(items->size());
  for (const uint32_t at : order) {
    if (sorted.empty() || sorted.back() != (*items)[at])
      sorted.push_back(std::move((*items)[at]));
    moved_to[at] = static_cast<uint32_t>(sorted.size() - 1);
  }
  *items = std::move(sorted);
  return moved_to;
}

// Drops items that no row uses. `position_in` returns a reference to a row's position in `items`.
template <typename T, typename PositionIn>
void DropUnused(std::vector<ChunkRow>* rows, std::vector<T>* items, PositionIn position_in) {
  std::vector<uint32_t> moved_to(items->size(), 0);
  for (ChunkRow& row : *rows)
    moved_to[position_in(row)] = 1;
  uint32_t kept = 0;
  for (size_t i = 0; i < items->size(); ++i) {
    if (moved_to[i] == 0)
      continue;
    if (kept != i)
      (*items)[kept] = std::move((*items)[i]);
    moved_to[i] = kept++;
  }
  items->resize(kept);
  for (ChunkRow& row : *rows)
    position_in(row) = moved_to[position_in(row)];
}

}  // namespace

void Canonicalize(Chunk* chunk) {
  chunk->group_ends.clear();
  DropUnused(&chunk->rows, &chunk->attribute_sets,
             [](ChunkRow& row) -> uint32_t& { return row.attributes; });
  const std::vector<uint32_t> links = SortUnique(&chunk->links);
  const std::vector<uint32_t> profiles = SortUnique(&chunk->profiles);
  const std::vector<uint32_t> sets = SortUnique(&chunk->attribute_sets);
  for (ChunkRow& row : chunk->rows) {
    row.link = row.link == 0 ? 0 : links[row.link - 1] + 1;
    row.profile = profiles[row.profile];
    row.attributes = sets[row.attributes];
  }
  const auto less = [](const ChunkRow& a, const ChunkRow& b) { return Key(a) < Key(b); };
  if (!std::ranges::is_sorted(chunk->rows, less))
    std::ranges::sort(chunk->rows, less);
}

void AppendChunk(const Chunk& from, Chunk* to) {
  to->group_ends.clear();
  if (to->rows.empty())
    to->period = from.period;
  const auto append = [](const auto& list, auto* all) {
    const auto first = static_cast<uint32_t>(all->size());
    all->insert(all->end(), list.begin(), list.end());
    return first;
  };
  const uint32_t first_profile = append(from.profiles, &to->profiles);
  const uint32_t first_link = append(from.links, &to->links);
  const uint32_t first_set = append(from.attribute_sets, &to->attribute_sets);
  to->rows.reserve(to->rows.size() + from.rows.size());
  for (ChunkRow row : from.rows) {
    row.profile += first_profile;
    row.link = row.link == 0 ? 0 : row.link + first_link;
    row.attributes += first_set;
    to->rows.push_back(row);
  }
}

}  // namespace flarestack::store
