// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "absl/container/flat_hash_map.h"
#include "base/byte_io.h"
#include "store/chunk_bytes.h"

namespace flarestack::store {
namespace {

using base::AppendBytes;
using base::AppendSigned;
using base::AppendVarint;
using base::Difference;

// Looking for the best context costs a pass over all rows for each column.
constexpr size_t kContextColumnsMax = 8;

void AppendAscending(const std::vector<uint32_t>& numbers, std::string* out) {
  AppendVarint(numbers.size(), out);
  uint32_t last = 0;
  for (const uint32_t number : numbers) {
    AppendVarint(number - last, out);
    last = number;
  }
}

// The values of one key: which there are, and which each row has (0: none).
struct AttributeColumn {
  uint32_t key = 0;
  std::vector<uint32_t> attributes;  // ascending
  std::vector<uint32_t> of_set;      // by position in Chunk::attribute_sets
  bool is_constant = false;          // all rows have the same
};

// A key that stands twice in a set, against the rules, makes two columns.
std::vector<AttributeColumn> AttributeColumns(const Chunk& chunk) {
  std::vector<AttributeColumn> columns;
  const size_t sets = chunk.attribute_sets.size();
  for (size_t s = 0; s < sets; ++s) {
    size_t from = 0;
    for (const ChunkAttribute& entry : chunk.attribute_sets[s]) {
      size_t at = from;
      while (at < columns.size() && columns[at].key < entry.key)
        ++at;
      if (at == columns.size() || columns[at].key != entry.key)
        columns.insert(columns.begin() + static_cast<ptrdiff_t>(at),
                       {.key = entry.key, .attributes = {}, .of_set = std::vector<uint32_t>(sets)});
      columns[at].attributes.push_back(entry.attribute);
      columns[at].of_set[s] = entry.attribute;
      from = at + 1;
    }
  }
  for (AttributeColumn& column : columns) {
    std::ranges::sort(column.attributes);
    column.attributes.erase(std::unique(column.attributes.begin(), column.attributes.end()),
                            column.attributes.end());
    for (uint32_t& attribute : column.of_set) {
      const auto at = std::ranges::lower_bound(column.attributes, attribute);
      attribute = attribute == 0 ? 0 : static_cast<uint32_t>(at - column.attributes.begin()) + 1;
    }
    column.is_constant = std::ranges::all_of(chunk.rows, [&](const ChunkRow& row) {
      return column.of_set[row.attributes] == column.of_set[chunk.rows[0].attributes];
    });
  }
  return columns;
}

// The context of each row: its value in a column, or the same for all.
struct Context {
  const AttributeColumn* column = nullptr;
  size_t size() const { return column == nullptr ? 1 : column->attributes.size() + 1; }
  uint32_t Of(const ChunkRow& row) const {
    return column == nullptr ? 0 : column->of_set[row.attributes];
  }
};

uint64_t RemainderCost(const Chunk& chunk, const Context& context) {
  Remainders expected(context.size());
  uint64_t bits = 0;
  for (const ChunkRow& row : chunk.rows) {
    const uint32_t at = context.Of(row);
    const uint64_t remainder = row.time % chunk.period;
    bits += static_cast<uint64_t>(
        std::bit_width(base::ZigZag(Difference(remainder, expected.Expected(at)))));
    expected.Met(at, remainder);
  }
  return bits;
}

// Position plus one of the column that makes remainders cheapest; 0 is none.
size_t BestContext(const Chunk& chunk, const std::vector<AttributeColumn>& columns) {
  size_t best = 0;
  uint64_t best_cost = RemainderCost(chunk, {});
  for (size_t i = 0; i < std::min(columns.size(), kContextColumnsMax); ++i) {
    if (columns[i].is_constant)
      continue;
    const uint64_t cost = RemainderCost(chunk, {&columns[i]});
    if (cost < best_cost) {
      best_cost = cost;
      best = i + 1;
    }
  }
  return best;
}

void EncodeAttributes(const Chunk& chunk, const std::vector<AttributeColumn>& columns,
                      size_t context, std::string* out) {
  std::string bytes;
  AppendVarint(columns.size(), &bytes);
  for (size_t i = 0; i < columns.size(); ++i) {
    const AttributeColumn& column = columns[i];
    AppendVarint(column.key, &bytes);
    AppendAscending(column.attributes, &bytes);
    if (i + 1 == context) {
      bytes.push_back(kIsContext);
    } else if (column.is_constant && !chunk.rows.empty()) {
      bytes.push_back(kConstant);
      AppendVarint(column.of_set[chunk.rows[0].attributes], &bytes);
    } else {
      bytes.push_back(kEachRow);
      for (const ChunkRow& row : chunk.rows)
        AppendVarint(column.of_set[row.attributes], &bytes);
    }
  }
  AppendBytes(bytes, out);  // with its length, so that it can be passed over
}

// `best` is the position plus one of the column that serves as context, or 0.
void EncodeTimes(const Chunk& chunk, const std::vector<AttributeColumn>& columns, size_t best,
                 std::string* out) {
  uint64_t last = 0;
  for (const ChunkRow& row : chunk.rows) {
    const uint64_t quotient = row.time / chunk.period;
    AppendVarint(quotient - last, out);
    last = quotient;
  }
  if (chunk.period == 1)
    return;
  const Context context = {best == 0 ? nullptr : &columns[best - 1]};
  Remainders expected(context.size());
  AppendVarint(context.size(), out);
  if (best != 0) {  // apart from the other attributes, which a reader may pass over
    for (const ChunkRow& row : chunk.rows)
      AppendVarint(context.Of(row), out);
  }
  for (const ChunkRow& row : chunk.rows) {
    const uint32_t at = context.Of(row);
    const uint64_t remainder = row.time % chunk.period;
    AppendSigned(Difference(remainder, expected.Expected(at)), out);
    expected.Met(at, remainder);
  }
}

void EncodeStacks(const Chunk& chunk, std::string* out) {
  absl::flat_hash_map<uint32_t, uint32_t> positions;
  for (const ChunkRow& row : chunk.rows)
    positions.try_emplace(row.stack, 0);
  std::vector<uint32_t> stacks;
  stacks.reserve(positions.size());
  for (const auto& [stack, position] : positions)
    stacks.push_back(stack);
  std::ranges::sort(stacks);
  for (uint32_t i = 0; i < stacks.size(); ++i)
    positions[stacks[i]] = i;
  AppendAscending(stacks, out);
  for (const ChunkRow& row : chunk.rows)
    AppendVarint(positions[row.stack], out);
}

void EncodeProfiles(const Chunk& chunk, std::string* out) {
  const std::vector<RowSpan> spans = RowSpans(chunk);
  uint64_t last_duration = 0;
  AppendVarint(chunk.profiles.size(), out);
  for (size_t i = 0; i < chunk.profiles.size(); ++i) {
    const ChunkProfile& profile = chunk.profiles[i];
    const int64_t from_span = Difference(profile.duration, spans[i].last - profile.time);
    const int64_t from_last = Difference(profile.duration, last_duration);
    const bool is_span = base::ZigZag(from_span) < base::ZigZag(from_last);
    out->push_back(static_cast<char>(
        (profile.has_timestamps ? kHasTimestamps : 0) | (profile.has_values ? kHasValues : 0) |
        (profile.profile_id.empty() ? 0 : kHasId) | (is_span ? kDurationIsSpan : 0)));
    AppendSigned(Difference(profile.time, spans[i].first), out);
    AppendSigned(is_span ? from_span : from_last, out);
    AppendVarint(profile.attributes.size(), out);
    for (const ChunkAttribute& entry : profile.attributes) {
      AppendVarint(entry.key, out);
      AppendVarint(entry.attribute, out);
    }
    if (!profile.profile_id.empty())
      AppendBytes(profile.profile_id, out);
    last_duration = profile.duration;
  }
}

void EncodeLinks(const Chunk& chunk, std::string* out) {
  AppendVarint(chunk.links.size(), out);
  for (const ChunkLink& link : chunk.links) {
    out->append(link.trace_id.data(), link.trace_id.size());
    out->append(link.span_id.data(), link.span_id.size());
  }
  if (chunk.links.empty())
    return;
  for (const ChunkRow& row : chunk.rows)
    AppendVarint(row.link, out);
}

void EncodeValues(const Chunk& chunk, std::string* out) {
  const bool all_are_one =
      std::ranges::all_of(chunk.rows, [](const ChunkRow& row) { return row.value == 1; });
  out->push_back(all_are_one ? 1 : 0);
  if (all_are_one)
    return;
  for (const ChunkRow& row : chunk.rows)
    AppendSigned(row.value, out);
}

}  // namespace

std::vector<RowSpan> RowSpans(const Chunk& chunk) {
  std::vector<RowSpan> spans(chunk.profiles.size());
  for (const ChunkRow& row : chunk.rows) {
    RowSpan& span = spans[row.profile];
    if (!span.has_rows)
      span = {.first = row.time, .last = row.time, .has_rows = true};
    span.last = row.time;
  }
  return spans;
}

// One column behind the other: bytes of one kind side by side are what a compressor wants.
std::string EncodeChunk(const Chunk& chunk) {
  const std::vector<AttributeColumn> columns = AttributeColumns(chunk);
  std::string out(1, kChunkVersion);
  out.reserve(64 + chunk.rows.size() * 8 + chunk.links.size() * sizeof(ChunkLink));
  AppendVarint(chunk.rows.size(), &out);
  AppendVarint(chunk.period, &out);
  const size_t context = chunk.period == 1 ? 0 : BestContext(chunk, columns);
  EncodeTimes(chunk, columns, context, &out);
  EncodeStacks(chunk, &out);
  EncodeValues(chunk, &out);
  EncodeLinks(chunk, &out);
  uint32_t last_profile = 0;
  for (const ChunkRow& row : chunk.rows) {
    AppendSigned(int64_t{row.profile} - int64_t{last_profile}, &out);
    last_profile = row.profile;
  }
  EncodeProfiles(chunk, &out);
  EncodeAttributes(chunk, columns, context, &out);
  return out;
}

}  // namespace flarestack::store
