// SPDX-License-Identifier: Apache-2.0
#include "store/chunk.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "base/byte_io.h"
#include "base/status.h"

namespace flarestack::store {
namespace {

using base::AppendBytes;
using base::AppendSigned;
using base::AppendVarint;
using base::ByteReader;
using base::Difference;

constexpr char kVersion = 1;

enum ProfileFlag : uint8_t {
  kHasTimestamps = 1,
  kHasValues = 2,
  kHasId = 4,
  kDurationIsSpan = 8,  // the duration is told by its difference from first to last row
};

auto Key(const ChunkRow& row) {
  return std::tie(row.time, row.stack, row.attributes, row.link, row.profile, row.value);
}

// Sorts `items`, drops what is there twice, and answers where each item went.
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

// The distinct numbers of a column, ascending, and the column in terms of them.
struct NumberTable {
  std::vector<uint32_t> numbers;
  absl::flat_hash_map<uint32_t, uint32_t> positions;

  template <typename Field>
  NumberTable(std::span<const ChunkRow> rows, Field field) {
    for (const ChunkRow& row : rows)
      positions.try_emplace(row.*field, 0);
    for (const auto& [number, position] : positions)
      numbers.push_back(number);
    std::ranges::sort(numbers);
    for (uint32_t i = 0; i < numbers.size(); ++i)
      positions[numbers[i]] = i;
  }

  void Encode(std::string* out) const {
    AppendVarint(numbers.size(), out);
    uint32_t last = 0;
    for (const uint32_t number : numbers) {
      AppendVarint(number - last, out);
      last = number;
    }
  }
};

std::vector<uint32_t> DecodeNumberTable(ByteReader& in) {
  std::vector<uint32_t> numbers(in.Count());
  uint32_t last = 0;
  for (uint32_t& number : numbers)
    last = number = last + in.Varint32();
  return numbers;
}

// First and last row of each profile, which its own times usually are.
struct RowSpan {
  uint64_t first = 0;
  uint64_t last = 0;
  bool has_rows = false;
};

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
    AppendVarint(profile.attributes, out);
    if (!profile.profile_id.empty())
      AppendBytes(profile.profile_id, out);
    last_duration = profile.duration;
  }
}

void DecodeProfiles(ByteReader& in, Chunk* chunk) {
  const std::vector<RowSpan> spans = RowSpans(*chunk);
  uint64_t last_duration = 0;
  for (size_t i = 0; i < chunk->profiles.size() && in.ok(); ++i) {
    ChunkProfile& profile = chunk->profiles[i];
    const std::string_view flags_byte = in.Take(1);
    const auto flags = static_cast<uint8_t>(flags_byte.empty() ? 0 : flags_byte[0]);
    profile.has_timestamps = (flags & kHasTimestamps) != 0;
    profile.has_values = (flags & kHasValues) != 0;
    profile.time = base::AddDifference(spans[i].first, in.Signed());
    const bool is_span = (flags & kDurationIsSpan) != 0;
    profile.duration =
        base::AddDifference(is_span ? spans[i].last - profile.time : last_duration, in.Signed());
    profile.attributes = in.Varint32();
    if ((flags & kHasId) != 0)
      profile.profile_id = in.Bytes();
    last_duration = profile.duration;
  }
}

void EncodeLinks(std::span<const ChunkLink> links, std::string* out) {
  AppendVarint(links.size(), out);
  for (const ChunkLink& link : links) {
    out->append(link.trace_id.data(), link.trace_id.size());
    out->append(link.span_id.data(), link.span_id.size());
  }
}

void DecodeLinks(ByteReader& in, std::vector<ChunkLink>* links) {
  links->resize(in.Count());
  for (ChunkLink& link : *links) {
    std::ranges::copy(in.Take(link.trace_id.size()), link.trace_id.begin());
    std::ranges::copy(in.Take(link.span_id.size()), link.span_id.begin());
  }
}

// The remainder of a time in its period hardly changes from one tick of a CPU to its next, and the
// attributes of a sample usually tell the CPU or the thread: so it is told by its difference from
// the last row with the same attributes.
class Remainders {
 public:
  explicit Remainders(size_t attribute_sets) : last_(attribute_sets, kNone) {}

  uint64_t Expected(uint32_t attributes) const {
    return last_[attributes] == kNone ? last_of_any_ : last_[attributes];
  }
  void Met(uint32_t attributes, uint64_t remainder) {
    last_[attributes] = last_of_any_ = remainder;
  }

 private:
  static constexpr uint64_t kNone = UINT64_MAX;
  std::vector<uint64_t> last_;
  uint64_t last_of_any_ = 0;
};

bool AllRowsAreOne(const Chunk& chunk) {
  return std::ranges::all_of(chunk.rows, [](const ChunkRow& row) { return row.value == 1; });
}

absl::Status Broken(std::string_view what) {
  return absl::DataLossError(base::StrCat("chunk of samples: ", what));
}

}  // namespace

void Canonicalize(Chunk* chunk) {
  const std::vector<uint32_t> links = SortUnique(&chunk->links);
  const std::vector<uint32_t> profiles = SortUnique(&chunk->profiles);
  for (ChunkRow& row : chunk->rows) {
    row.link = row.link == 0 ? 0 : links[row.link - 1] + 1;
    row.profile = profiles[row.profile];
  }
  const auto less = [](const ChunkRow& a, const ChunkRow& b) { return Key(a) < Key(b); };
  if (!std::ranges::is_sorted(chunk->rows, less))
    std::ranges::sort(chunk->rows, less);
}

void AppendChunk(const Chunk& from, Chunk* to) {
  if (to->rows.empty())
    to->period = from.period;
  const auto first_profile = static_cast<uint32_t>(to->profiles.size());
  const auto first_link = static_cast<uint32_t>(to->links.size());
  to->profiles.insert(to->profiles.end(), from.profiles.begin(), from.profiles.end());
  to->links.insert(to->links.end(), from.links.begin(), from.links.end());
  for (ChunkRow row : from.rows) {
    row.profile += first_profile;
    row.link = row.link == 0 ? 0 : row.link + first_link;
    to->rows.push_back(row);
  }
}

std::string EncodeChunk(const Chunk& chunk) {
  const NumberTable stacks(chunk.rows, &ChunkRow::stack);
  const NumberTable attributes(chunk.rows, &ChunkRow::attributes);
  const bool all_are_one = AllRowsAreOne(chunk);
  std::string out(1, kVersion);
  out.reserve(64 + chunk.rows.size() * 8 + chunk.links.size() * sizeof(ChunkLink));
  AppendVarint(chunk.rows.size(), &out);
  AppendVarint(chunk.period, &out);
  out.push_back(all_are_one ? 1 : 0);
  EncodeLinks(chunk.links, &out);
  stacks.Encode(&out);
  attributes.Encode(&out);

  // One column behind the other: bytes of one kind side by side are what a compressor wants.
  std::string remainders;
  std::string attribute_column;
  std::string stack_column;
  uint64_t last_quotient = 0;
  Remainders expected(attributes.numbers.size());
  for (const ChunkRow& row : chunk.rows) {
    const uint32_t set = attributes.positions.find(row.attributes)->second;
    const uint64_t quotient = row.time / chunk.period;
    const uint64_t remainder = row.time % chunk.period;
    AppendVarint(quotient - last_quotient, &out);
    AppendSigned(Difference(remainder, expected.Expected(set)), &remainders);
    AppendVarint(set, &attribute_column);
    AppendVarint(stacks.positions.find(row.stack)->second, &stack_column);
    expected.Met(set, remainder);
    last_quotient = quotient;
  }
  if (chunk.period > 1)
    out += remainders;
  out += attribute_column;
  out += stack_column;
  uint32_t last_profile = 0;
  for (const ChunkRow& row : chunk.rows) {
    AppendSigned(Difference(row.profile, last_profile), &out);
    last_profile = row.profile;
  }
  if (!chunk.links.empty()) {
    for (const ChunkRow& row : chunk.rows)
      AppendVarint(row.link, &out);
  }
  if (!all_are_one) {
    for (const ChunkRow& row : chunk.rows)
      AppendSigned(row.value, &out);
  }
  EncodeProfiles(chunk, &out);
  return out;
}

absl::Status DecodeChunk(std::string_view bytes, Chunk* chunk) {
  *chunk = {};
  if (bytes.empty() || bytes[0] != kVersion)
    return Broken("not of a version this program knows");
  ByteReader in(bytes.substr(1));
  chunk->rows.resize(in.Count());
  chunk->period = in.Varint();
  const std::string_view all_are_one = in.Take(1);
  DecodeLinks(in, &chunk->links);
  const std::vector<uint32_t> stacks = DecodeNumberTable(in);
  const std::vector<uint32_t> attributes = DecodeNumberTable(in);
  if (!in.ok() || chunk->period == 0)
    return Broken("cut short");

  uint64_t quotient = 0;
  for (ChunkRow& row : chunk->rows) {
    quotient += in.Varint();
    row.time = quotient * chunk->period;
  }
  std::vector<int64_t> remainders;
  if (chunk->period > 1) {
    remainders.reserve(chunk->rows.size());
    for (size_t i = 0; i < chunk->rows.size(); ++i)
      remainders.push_back(in.Signed());
  }
  Remainders expected(attributes.size());
  for (size_t i = 0; i < chunk->rows.size(); ++i) {
    ChunkRow& row = chunk->rows[i];
    const uint64_t set = in.Varint();
    if (set >= attributes.size())
      return Broken("attribute set out of range");
    row.attributes = attributes[set];
    if (!remainders.empty()) {
      const auto at = static_cast<uint32_t>(set);
      const uint64_t remainder = base::AddDifference(expected.Expected(at), remainders[i]);
      row.time += remainder;
      expected.Met(at, remainder);
    }
  }
  for (ChunkRow& row : chunk->rows) {
    const uint64_t stack = in.Varint();
    if (stack >= stacks.size())
      return Broken("stack out of range");
    row.stack = stacks[stack];
  }
  uint32_t profile = 0;
  uint32_t profile_max = 0;
  for (ChunkRow& row : chunk->rows) {
    profile = row.profile = static_cast<uint32_t>(base::AddDifference(profile, in.Signed()));
    profile_max = std::max(profile_max, profile);
  }
  if (!chunk->links.empty()) {
    for (ChunkRow& row : chunk->rows) {
      row.link = in.Varint32();
      if (row.link > chunk->links.size())
        return Broken("link out of range");
    }
  }
  if (all_are_one != std::string_view("\1", 1)) {
    for (ChunkRow& row : chunk->rows)
      row.value = in.Signed();
  }
  chunk->profiles.resize(in.Count());
  if (!in.ok() || (!chunk->rows.empty() && profile_max >= chunk->profiles.size()))
    return Broken("profile out of range");
  DecodeProfiles(in, chunk);
  return in.AtEnd() ? absl::OkStatus() : Broken("cut short or too long");
}

}  // namespace flarestack::store
