// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/chunk_totals.h"

#include <cstdlib>

#include "base/byte_reader.h"
#include "base/saturating.h"
#include "base/status.h"
#include "store/chunk/chunk_bytes.h"
#include "store/chunk/chunk_parts.h"
#include "store/chunk/column.h"

namespace flarestack::store {
namespace {

using base::ByteReader;

// Addresses stacks by position, which avoids a lookup per row.
class Summer {
 public:
  explicit Summer(const ChunkStacks& stacks) : stacks_(stacks), sums_(stacks.stacks.size()) {
    for (size_t i = 0; i < sums_.size(); ++i)
      sums_[i].stack = stacks.stacks[i];
  }

  void CountRows() {
    for (const uint32_t position : stacks_.of_rows)
      ++sums_[position].events;
  }
  // Each row counts 1: the value of a stack is its number of rows. Call after CountRows.
  void AddCounts() {
    for (StackSum& sum : sums_)
      sum.value = static_cast<int64_t>(sum.events);
  }
  void AddValues(const std::vector<uint64_t>& numbers) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      const int64_t value = base::UnZigZag(numbers[i]);
      StackSum& sum = sums_[stacks_.of_rows[i]];
      sum.value = base::SaturatingAdd(sum.value, value);
      magnitude_ =
          base::SaturatingAdd(magnitude_, value == INT64_MIN ? INT64_MAX : std::abs(value));
    }
  }

  void Finish(ChunkTotals* totals) && {
    std::erase_if(sums_, [](const StackSum& sum) { return sum.events == 0; });
    sums_.shrink_to_fit();
    totals->sums.stacks = std::move(sums_);
    totals->is_exact = magnitude_ < INT64_MAX;
  }

 private:
  const ChunkStacks& stacks_;
  std::vector<StackSum> sums_;
  int64_t magnitude_ = 0;  // of all values
};

}  // namespace

absl::Status AddUpChunk(std::string_view bytes, ChunkTotals* totals) {
  *totals = {};
  ByteReader in(bytes);
  ChunkHead head;
  FLARE_RETURN_IF_ERROR(ReadChunkHead(in, &head));
  ChunkStacks stacks;
  FLARE_RETURN_IF_ERROR(ReadChunkStacks(in, head.rows, &stacks));
  Summer summer(stacks);
  summer.CountRows();
  FLARE_RETURN_IF_ERROR(SkipChunkTimes(in, head));
  if (in.Take(1) == kEachRowCountsOne) {
    summer.AddCounts();
  } else {
    std::vector<uint64_t> numbers;
    if (!ReadColumn(in, head.rows, &numbers))
      return BrokenChunk("a column is truncated");
    summer.AddValues(numbers);
  }
  if (!ReadChunkLinkList(in).empty())
    FLARE_RETURN_IF_ERROR(SkipChunkColumn(in, head.rows));
  totals->profiles = ReadChunkProfiles(in);
  FLARE_RETURN_IF_ERROR(SkipChunkColumn(in, head.rows));
  in.Bytes();  // attributes
  if (!in.AtEnd())
    return BrokenChunk("truncated or too long");
  std::move(summer).Finish(totals);
  totals->rows = head.rows;
  return absl::OkStatus();
}

}  // namespace flarestack::store
