// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/chunk_parts.h"

#include <algorithm>
#include <functional>

#include "base/status.h"
#include "store/chunk/chunk_bytes.h"
#include "store/chunk/column.h"

namespace flarestack::store {
namespace {

using base::ByteReader;

ChunkProfile ReadProfile(const ChunkProfile& last, ByteReader& in) {
  const std::string_view flags_byte = in.Take(1);
  const auto flags = static_cast<uint8_t>(flags_byte.empty() ? 0 : flags_byte[0]);
  ChunkProfile profile;
  profile.has_timestamps = (flags & kHasTimestamps) != 0;
  profile.has_values = (flags & kHasValues) != 0;
  profile.time = base::AddDifference(last.time, in.Signed());
  profile.duration = base::AddDifference(last.duration, in.Signed());
  profile.attributes.resize(in.Count());
  for (ChunkAttribute& entry : profile.attributes) {
    entry.key = in.Varint32();
    entry.attribute = in.Varint32();
  }
  if ((flags & kHasId) != 0)
    profile.profile_id = in.Bytes();
  return profile;
}

}  // namespace

absl::Status BrokenChunk(std::string_view what) {
  return absl::DataLossError(base::StrCat("chunk of samples: ", what));
}

absl::Status ReadChunkHead(ByteReader& in, ChunkHead* head) {
  const std::string_view version = in.Take(1);
  if (version.empty() || (version[0] != kChunkVersion && version[0] != kChunkVersionWithoutBounds))
    return BrokenChunk("unsupported version");
  head->rows = in.Varint();
  head->period = in.Varint();
  if (version[0] != kChunkVersionWithoutBounds) {
    const uint64_t first = in.Varint();
    head->bounds = {.first = first, .last = first + in.Varint()};
  }
  return in.ok() && head->period != 0 ? absl::OkStatus() : BrokenChunk("truncated");
}

absl::Status ReadChunkStacks(ByteReader& in, uint64_t rows, ChunkStacks* stacks) {
  stacks->stacks = ReadAscending(in);
  if (std::ranges::adjacent_find(stacks->stacks, std::greater_equal()) != stacks->stacks.end())
    return BrokenChunk("stacks out of order");
  std::vector<uint64_t> numbers;
  if (!ReadColumn(in, stacks->stacks.size(), &numbers))
    return BrokenChunk("a column is truncated");
  const std::vector<uint32_t> order = OrderByCount(numbers);
  // Stack codes cannot be all zero, and they are the first column with one number per row. Their
  // size proves the row count before memory is allocated for the rows.
  if (rows > 0 && IsAllZero(in))
    return BrokenChunk("rows without stacks");
  if (!ReadColumn(in, rows, &numbers))
    return BrokenChunk("a column is truncated");
  stacks->of_rows.resize(rows);
  for (size_t i = 0; i < rows; ++i) {
    if (numbers[i] > order.size() || (i == 0 && numbers[i] == 0))
      return BrokenChunk("stack out of range");
    stacks->of_rows[i] = numbers[i] == 0 ? stacks->of_rows[i - 1] : order[numbers[i] - 1];
  }
  return absl::OkStatus();
}

absl::Status ReadChunkSets(ByteReader& in, uint64_t rows, std::vector<uint64_t>* sizes) {
  const uint64_t sets = in.Varint();
  if (sets > rows)  // each set has at least one row
    return BrokenChunk("too many sets of attributes");
  if (!ReadColumn(in, sets, sizes))
    return BrokenChunk("a column is truncated");
  uint64_t left = rows;
  for (const uint64_t size : *sizes) {
    if (size > left)
      return BrokenChunk("sets of attributes have more rows than there are");
    left -= size;
  }
  return left == 0 ? absl::OkStatus() : BrokenChunk("rows without attributes");
}

absl::Status ReadChunkRowTimes(ByteReader& in, const ChunkHead& head,
                               std::span<const uint64_t> set_sizes, ChunkRowTimes* times) {
  const uint64_t first = in.Varint();
  if (!ReadColumn(in, head.rows, &times->times))
    return BrokenChunk("a column is truncated");
  size_t row = 0;
  for (const uint64_t size : set_sizes) {
    uint64_t quotient = first;
    for (const size_t end = row + size; row < end; ++row) {
      quotient += times->times[row];
      times->times[row] = quotient * head.period;
    }
  }
  if (head.period == 1)
    return absl::OkStatus();
  // Contexts are the distinct values of the sets, plus "none".
  const uint64_t contexts = in.Varint();
  if (contexts == 0 || contexts > set_sizes.size() + 1)
    return BrokenChunk("too many contexts");
  times->contexts.assign(set_sizes.size(), 0);
  if (contexts > 1 && !ReadColumn(in, set_sizes.size(), &times->contexts))
    return BrokenChunk("a column is truncated");
  if (std::ranges::any_of(times->contexts, [&](uint64_t at) { return at >= contexts; }))
    return BrokenChunk("context out of range");
  std::vector<uint64_t>& numbers = times->scratch;
  if (!ReadColumn(in, head.rows, &numbers))
    return BrokenChunk("a column is truncated");
  Remainders expected(contexts);
  row = 0;
  for (size_t set = 0; set < set_sizes.size(); ++set) {
    const uint64_t context = times->contexts[set];
    for (const size_t end = row + set_sizes[set]; row < end; ++row) {
      const uint64_t remainder =
          base::AddDifference(expected.Expected(context), base::UnZigZag(numbers[row]));
      expected.Observe(context, remainder);
      times->times[row] += remainder;
    }
  }
  return absl::OkStatus();
}

absl::Status SkipChunkColumn(ByteReader& in, uint64_t count) {
  return SkipColumn(in, count) ? absl::OkStatus() : BrokenChunk("a column is truncated");
}

absl::Status SkipChunkStacks(ByteReader& in, uint64_t rows) {
  const size_t stacks = ReadAscending(in).size();
  FLARE_RETURN_IF_ERROR(SkipChunkColumn(in, stacks));
  // See ReadChunkStacks.
  if (rows > 0 && IsAllZero(in))
    return BrokenChunk("rows without stacks");
  return SkipChunkColumn(in, rows);
}

absl::Status SkipChunkTimes(ByteReader& in, const ChunkHead& head) {
  const uint64_t sets = in.Varint();
  if (sets > head.rows)
    return BrokenChunk("too many sets of attributes");
  FLARE_RETURN_IF_ERROR(SkipChunkColumn(in, sets));
  in.Varint();  // the first quotient
  FLARE_RETURN_IF_ERROR(SkipChunkColumn(in, head.rows));
  if (head.period == 1)
    return absl::OkStatus();
  if (const uint64_t contexts = in.Varint(); contexts > 1)
    FLARE_RETURN_IF_ERROR(SkipChunkColumn(in, sets));
  return SkipChunkColumn(in, head.rows);
}

std::vector<ChunkLink> ReadChunkLinkList(ByteReader& in) {
  std::vector<ChunkLink> links(in.Count());
  for (ChunkLink& link : links) {
    std::ranges::copy(in.Take(link.trace_id.size()), link.trace_id.begin());
    std::ranges::copy(in.Take(link.span_id.size()), link.span_id.begin());
  }
  return links;
}

std::vector<ChunkProfile> ReadChunkProfiles(ByteReader& in) {
  std::vector<ChunkProfile> profiles(in.Count());
  ChunkProfile last;
  for (ChunkProfile& profile : profiles) {
    if (!in.ok())
      break;
    profile = ReadProfile(last, in);
    last.time = profile.time;
    last.duration = profile.duration;
  }
  return profiles;
}

std::vector<uint32_t> ReadAscending(ByteReader& in) {
  std::vector<uint32_t> numbers(in.Count());
  uint32_t last = 0;
  for (uint32_t& number : numbers)
    last = number = last + in.Varint32();
  return numbers;
}

}  // namespace flarestack::store
