// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/chunk_times.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/byte_reader.h"
#include "base/status.h"
#include "store/chunk/chunk_bytes.h"
#include "store/chunk/chunk_parts.h"
#include "store/chunk/column.h"

namespace flarestack::store {
namespace {

using base::ByteReader;

absl::Status ReadValues(ByteReader& in, uint64_t rows, std::vector<uint64_t> numbers,
                        ChunkTimes* times) {
  if (in.Take(1) == kEachRowCountsOne)
    return absl::OkStatus();
  if (!ReadColumn(in, rows, &numbers))
    return BrokenChunk("a column is truncated");
  if (std::ranges::adjacent_find(numbers, std::not_equal_to()) == numbers.end()) {
    if (!numbers.empty())
      times->value_of_all = base::UnZigZag(numbers.front());
    return absl::OkStatus();
  }
  times->values.reserve(rows);
  for (const uint64_t number : numbers)
    times->values.push_back(base::UnZigZag(number));
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadChunkTimes(std::string_view bytes, ChunkTimes* times) {
  *times = {};
  ByteReader in(bytes);
  ChunkHead head;
  FLARE_RETURN_IF_ERROR(ReadChunkHead(in, &head));
  FLARE_RETURN_IF_ERROR(SkipChunkStacks(in, head.rows));
  std::vector<uint64_t> set_sizes;
  FLARE_RETURN_IF_ERROR(ReadChunkSets(in, head.rows, &set_sizes));
  ChunkRowTimes of_rows;
  FLARE_RETURN_IF_ERROR(ReadChunkRowTimes(in, head, set_sizes, &of_rows));
  times->times = std::move(of_rows.times);
  FLARE_RETURN_IF_ERROR(ReadValues(in, head.rows, std::move(of_rows.scratch), times));
  return in.ok() ? absl::OkStatus() : BrokenChunk("truncated");
}

absl::Status ReadChunkLinks(std::string_view bytes, ChunkLinks* links) {
  *links = {};
  ByteReader in(bytes);
  ChunkHead head;
  FLARE_RETURN_IF_ERROR(ReadChunkHead(in, &head));
  FLARE_RETURN_IF_ERROR(SkipChunkStacks(in, head.rows));
  FLARE_RETURN_IF_ERROR(SkipChunkTimes(in, head));
  if (in.Take(1) != kEachRowCountsOne)
    FLARE_RETURN_IF_ERROR(SkipChunkColumn(in, head.rows));
  links->links = ReadChunkLinkList(in);
  if (!links->links.empty())
    FLARE_RETURN_IF_ERROR(SkipChunkColumn(in, head.rows));
  links->profiles = ReadChunkProfiles(in);
  links->rows = head.rows;
  return in.ok() ? absl::OkStatus() : BrokenChunk("truncated");
}

}  // namespace flarestack::store
