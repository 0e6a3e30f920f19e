// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "absl/container/flat_hash_map.h"
#include "base/byte_reader.h"
#include "store/chunk/chunk_bytes.h"
#include "store/chunk/column.h"

namespace flarestack::store {
namespace {

using base::AppendBytes;
using base::AppendSigned;
using base::AppendVarint;
using base::Difference;

// Searching for the best context costs one pass over all rows per column.
constexpr size_t kContextColumnsMax = 8;

void AppendAscending(const std::vector<uint32_t>& numbers, std::string* out) {
  AppendVarint(numbers.size(), out);
  uint32_t last = 0;
  for (const uint32_t number : numbers) {
    AppendVarint(number - last, out);
    last = number;
  }
}

// The distinct values of one key, and which of them each set has (0: none).
struct AttributeColumn {
  uint32_t key = 0;
  std::vector<uint32_t> attributes;  // ascending
  std::vector<uint64_t> of_set;      // by position in Chunk::attribute_sets
  bool is_constant = false;          // all sets have the same value
};

// A key that occurs twice in a set, which is invalid, becomes two columns.
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
                       {.key = entry.key, .attributes = {}, .of_set = std::vector<uint64_t>(sets)});
      columns[at].attributes.push_back(entry.attribute);
      columns[at].of_set[s] = entry.attribute;
      from = at + 1;
    }
  }
  for (AttributeColumn& column : columns) {
    std::ranges::sort(column.attributes);
    column.attributes.erase(std::unique(column.attributes.begin(), column.attributes.end()),
                            column.attributes.end());
    for (uint64_t& attribute : column.of_set) {
      const auto at = std::ranges::lower_bound(column.attributes, attribute);
      attribute = attribute == 0 ? 0 : static_cast<uint64_t>(at - column.attributes.begin()) + 1;
    }
    column.is_constant = std::ranges::all_of(
        column.of_set, [&](uint64_t value) { return value == column.of_set[0]; });
  }
  return columns;
}

// The context of each row: its set's value in `column`, or 0 for all rows without a column.
struct Context {
  const AttributeColumn* column = nullptr;
  size_t size() const { return column == nullptr ? 1 : column->attributes.size() + 1; }
  uint64_t Of(const ChunkRow& row) const {
    return column == nullptr ? 0 : column->of_set[row.attributes];
  }
};

// Calls `take` with the encoded remainder of each row.
template <typename Take>
void ForEachRemainder(const Chunk& chunk, const Context& context, Take take) {
  Remainders expected(context.size());
  for (const ChunkRow& row : chunk.rows) {
    const uint64_t at = context.Of(row);
    const uint64_t remainder = row.time % chunk.period;
    take(base::ZigZag(Difference(remainder, expected.Expected(at))));
    expected.Observe(at, remainder);
  }
}

uint64_t RemainderCost(const Chunk& chunk, const Context& context) {
  uint64_t bits = 0;
  ForEachRemainder(chunk, context,
                   [&](uint64_t number) { bits += static_cast<uint64_t>(std::bit_width(number)); });
  return bits;
}

// Returns the position plus one of the column that makes the remainders cheapest; 0 is none.
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

class ChunkEncoder {
 public:
  explicit ChunkEncoder(const Chunk& chunk) : chunk_(chunk), columns_(AttributeColumns(chunk)) {}

  // Column after column, because bytes of one kind compress better next to each other.
  std::string Encode() && {
    out_.reserve(64 + chunk_.rows.size() * 6 + chunk_.links.size() * sizeof(ChunkLink));
    out_.push_back(kChunkVersion);
    AppendVarint(chunk_.rows.size(), &out_);
    AppendVarint(chunk_.period, &out_);
    const ChunkBounds bounds = BoundsOf(chunk_);
    AppendVarint(bounds.first, &out_);
    AppendVarint(bounds.last - bounds.first, &out_);
    AddStacks();
    AddSets();
    AddTimes();
    AddValues();
    AddLinks();
    AddProfiles();
    AddAttributes();
    return std::move(out_);
  }

 private:
  // Writes the number of rows of each set. The rows of a set are adjacent.
  void AddSets() {
    AppendVarint(chunk_.attribute_sets.size(), &out_);
    numbers_.assign(chunk_.attribute_sets.size(), 0);
    for (const ChunkRow& row : chunk_.rows)
      ++numbers_[row.attributes];
    AppendColumn(numbers_, &out_);
  }

  void AddTimes() {
    uint64_t first = UINT64_MAX;
    for (const ChunkRow& row : chunk_.rows)
      first = std::min(first, row.time / chunk_.period);
    AppendVarint(chunk_.rows.empty() ? 0 : first, &out_);
    numbers_.clear();
    for (size_t i = 0; i < chunk_.rows.size(); ++i) {
      const uint64_t quotient = chunk_.rows[i].time / chunk_.period;
      const bool is_first_of_set =
          i == 0 || chunk_.rows[i].attributes != chunk_.rows[i - 1].attributes;
      numbers_.push_back(quotient -
                         (is_first_of_set ? first : chunk_.rows[i - 1].time / chunk_.period));
    }
    AppendColumn(numbers_, &out_);
    if (chunk_.period == 1)
      return;
    context_ = BestContext(chunk_, columns_);
    const Context context = {context_ == 0 ? nullptr : &columns_[context_ - 1]};
    AppendVarint(context.size(), &out_);
    if (context_ != 0)  // kept apart from the other attributes, which a reader may skip
      AppendColumn(columns_[context_ - 1].of_set, &out_);
    numbers_.clear();
    ForEachRemainder(chunk_, context, [&](uint64_t number) { numbers_.push_back(number); });
    AppendColumn(numbers_, &out_);
  }

  void AddStacks() {
    absl::flat_hash_map<uint32_t, uint32_t> positions;
    for (const ChunkRow& row : chunk_.rows)
      positions.try_emplace(row.stack, 0);
    std::vector<uint32_t> stacks;
    stacks.reserve(positions.size());
    for (const auto& [stack, position] : positions)
      stacks.push_back(stack);
    std::ranges::sort(stacks);
    for (uint32_t i = 0; i < stacks.size(); ++i)
      positions[stacks[i]] = i;
    std::vector<uint64_t> counts(stacks.size());
    numbers_.clear();
    for (const ChunkRow& row : chunk_.rows) {
      const uint32_t position = positions[row.stack];
      ++counts[position];
      numbers_.push_back(position);
    }
    std::vector<uint32_t> ranks(stacks.size());
    uint32_t rank = 0;
    for (const uint32_t position : OrderByCount(counts))
      ranks[position] = rank++;
    uint64_t last = UINT64_MAX;
    for (uint64_t& number : numbers_) {
      const uint64_t position = number;
      number = position == last ? 0 : uint64_t{ranks[position]} + 1;
      last = position;
    }
    AppendAscending(stacks, &out_);
    AppendColumn(counts, &out_);
    AppendColumn(numbers_, &out_);
  }

  void AddValues() {
    const bool all_are_one =
        std::ranges::all_of(chunk_.rows, [](const ChunkRow& row) { return row.value == 1; });
    out_.push_back(all_are_one ? 1 : 0);
    if (!all_are_one)
      AddColumn([](const ChunkRow& row) { return base::ZigZag(row.value); });
  }

  // Links are listed in order of first use, so most rows need not name theirs.
  void AddLinks() {
    AppendVarint(chunk_.links.size(), &out_);
    if (chunk_.links.empty())
      return;
    // Rank of first use plus one; 0: unused so far.
    std::vector<uint32_t> ranks(chunk_.links.size(), 0);
    std::vector<uint32_t> order;
    AddColumnTo(&later_, [&](const ChunkRow& row) -> uint64_t {
      if (row.link == 0)
        return kNoLink;
      uint32_t& rank = ranks[row.link - 1];
      if (rank != 0)
        return kLatestLink + (order.size() - rank);
      order.push_back(row.link - 1);
      rank = static_cast<uint32_t>(order.size());
      return kNewLink;
    });
    for (uint32_t i = 0; i < chunk_.links.size(); ++i) {
      if (ranks[i] == 0)  // no row uses it
        order.push_back(i);
    }
    for (const uint32_t i : order) {
      const ChunkLink& link = chunk_.links[i];
      out_.append(link.trace_id.data(), link.trace_id.size());
      out_.append(link.span_id.data(), link.span_id.size());
    }
    out_ += later_;
    later_.clear();
  }

  void AddProfiles() {
    ChunkProfile last;
    AppendVarint(chunk_.profiles.size(), &out_);
    for (const ChunkProfile& profile : chunk_.profiles) {
      out_.push_back(static_cast<char>((profile.has_timestamps ? kHasTimestamps : 0) |
                                       (profile.has_values ? kHasValues : 0) |
                                       (profile.profile_id.empty() ? 0 : kHasId)));
      AppendSigned(Difference(profile.time, last.time), &out_);
      AppendSigned(Difference(profile.duration, last.duration), &out_);
      AppendVarint(profile.attributes.size(), &out_);
      for (const ChunkAttribute& entry : profile.attributes) {
        AppendVarint(entry.key, &out_);
        AppendVarint(entry.attribute, &out_);
      }
      if (!profile.profile_id.empty())
        AppendBytes(profile.profile_id, &out_);
      last.time = profile.time;
      last.duration = profile.duration;
    }
    AddColumn([&](const ChunkRow& row) {
      return base::ZigZag(int64_t{row.profile} - LikelyProfile(chunk_.profiles, row.time));
    });
  }

  void AddAttributes() {
    std::string bytes;
    AppendVarint(columns_.size(), &bytes);
    for (size_t i = 0; i < columns_.size(); ++i) {
      const AttributeColumn& column = columns_[i];
      AppendVarint(column.key, &bytes);
      AppendAscending(column.attributes, &bytes);
      if (i + 1 == context_) {
        bytes.push_back(kIsContext);
      } else if (column.is_constant) {
        bytes.push_back(kConstant);
        AppendVarint(column.of_set[0], &bytes);
      } else {
        bytes.push_back(kEachSet);
        AppendColumn(column.of_set, &bytes);
      }
    }
    AppendBytes(bytes, &out_);  // with its length, so that readers can skip it
  }

  template <typename NumberOf>
  void AddColumn(NumberOf number_of) {
    AddColumnTo(&out_, number_of);
  }

  template <typename NumberOf>
  void AddColumnTo(std::string* out, NumberOf number_of) {
    numbers_.clear();
    for (const ChunkRow& row : chunk_.rows)
      numbers_.push_back(number_of(row));
    AppendColumn(numbers_, out);
  }

  const Chunk& chunk_;
  const std::vector<AttributeColumn> columns_;
  size_t context_ = 0;  // position plus one in columns_; 0 is none
  std::vector<uint64_t> numbers_;
  std::string out_;
  std::string later_;  // bytes that are complete before the bytes that precede them
};

}  // namespace

std::string EncodeChunk(const Chunk& chunk) { return ChunkEncoder(chunk).Encode(); }

}  // namespace flarestack::store
