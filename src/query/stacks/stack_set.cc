// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/stack_set.h"

#include <algorithm>

#include "base/hash.h"
#include "base/saturating.h"
#include "model/builder/intern_table.h"

namespace flarestack::query {

int64_t StackSet::Total() const {
  int64_t total = 0;
  for (const StackRow& row : rows)
    total = base::SaturatingAdd(total, row.value);
  return total;
}

namespace {

void AppendParts(uint32_t first, StackRow* row, std::vector<InstancePart>* parts) {
  uint32_t* end = &row->first_part;
  while (*end != InstancePart::kNone)
    end = &(*parts)[*end].next;
  *end = first;
}

}  // namespace

void MergeEqualRows(StackSet* set) {
  model::InternTable known;
  std::vector<StackRow> merged;
  for (const StackRow& row : set->rows) {
    const auto frames = set->FramesOf(row);
    const uint64_t hash =
        base::Mix64(base::Hash64(frames.data(), frames.size_bytes()), row.tags.value);
    const auto next = static_cast<uint32_t>(merged.size());
    const uint32_t at = known.FindOrAdd(hash, next, [&](uint32_t other) {
      return merged[other].tags == row.tags &&
             std::ranges::equal(set->FramesOf(merged[other]), frames);
    });
    if (at == next) {
      merged.push_back(row);
      continue;
    }
    merged[at].value = base::SaturatingAdd(merged[at].value, row.value);
    merged[at].events = base::SaturatingAdd(merged[at].events, row.events);
    // Walk the chain of the later row, so that merging thousands of rows into one does not get
    // slower with each.
    StackRow front = row;
    AppendParts(merged[at].first_part, &front, &set->parts);
    merged[at].first_part = front.first_part;
  }
  set->rows = std::move(merged);
}

}  // namespace flarestack::query
