// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/byte_io.h"
#include "base/status.h"
#include "store/chunk_bytes.h"
#include "store/column.h"

namespace flarestack::store {
namespace {

using base::ByteReader;

absl::Status Broken(std::string_view what) {
  return absl::DataLossError(base::StrCat("chunk of samples: ", what));
}

std::vector<uint32_t> ReadAscending(ByteReader& in) {
  std::vector<uint32_t> numbers(in.Count());
  uint32_t last = 0;
  for (uint32_t& number : numbers)
    last = number = last + in.Varint32();
  return numbers;
}

struct Head {
  uint64_t rows = 0;
  uint64_t period = 0;
  std::optional<ChunkBounds> bounds;
};

// The version is behind the reader.
Head ReadHead(char version, ByteReader& in) {
  Head head = {.rows = in.Varint(), .period = in.Varint(), .bounds = {}};
  if (version != kChunkVersionWithoutBounds) {
    const uint64_t first = in.Varint();
    head.bounds = {.first = first, .last = first + in.Varint()};
  }
  return head;
}

bool IsKnown(std::string_view bytes) {
  return !bytes.empty() && (bytes[0] == kChunkVersion || bytes[0] == kChunkVersionWithoutBounds);
}

class ChunkDecoder {
 public:
  ChunkDecoder(std::string_view bytes, Chunk* chunk)
      : version_(bytes[0]), in_(bytes.substr(1)), chunk_(*chunk) {}

  absl::Status Decode(ChunkColumns columns) {
    const Head head = ReadHead(version_, in_);
    chunk_.period = head.period;
    if (chunk_.period == 0)
      return Broken("cut short");
    const uint64_t rows = head.rows;
    FLARE_RETURN_IF_ERROR(ReadStacks(rows));
    FLARE_RETURN_IF_ERROR(ReadSets());
    FLARE_RETURN_IF_ERROR(ReadTimes());
    FLARE_RETURN_IF_ERROR(ReadValues());
    FLARE_RETURN_IF_ERROR(ReadLinks());
    FLARE_RETURN_IF_ERROR(ReadProfiles());
    if (head.bounds.has_value() && *head.bounds != BoundsOf(chunk_))
      return Broken("its times are not those of its head");
    FindGroups();
    const std::string_view attributes = in_.Bytes();
    if (!in_.AtEnd())
      return Broken("cut short or too long");
    if (columns == ChunkColumns::kAll)
      return ReadAttributes(attributes);
    for (ChunkRow& row : chunk_.rows)
      row.attributes = 0;
    return absl::OkStatus();
  }

 private:
  // The numbers of a column that has one for each row.
  absl::Status ReadNumbers() { return ReadNumbers(chunk_.rows.size()); }
  absl::Status ReadNumbers(size_t count) {
    return ReadColumn(in_, count, &numbers_) ? absl::OkStatus() : Broken("a column is cut short");
  }

  absl::Status ReadSets() {
    const uint64_t sets = in_.Varint();
    if (sets > chunk_.rows.size())  // each set has a row
      return Broken("too many sets of attributes");
    FLARE_RETURN_IF_ERROR(ReadNumbers(sets));
    size_t row = 0;
    for (uint32_t set = 0; set < sets; ++set) {
      if (numbers_[set] > chunk_.rows.size() - row)
        return Broken("sets of attributes have more rows than there are");
      for (uint64_t i = 0; i < numbers_[set]; ++i)
        chunk_.rows[row++].attributes = set;
    }
    set_count_ = sets;
    return row == chunk_.rows.size() ? absl::OkStatus() : Broken("rows without attributes");
  }

  // Rows of one set are in the order of time in whatever EncodeChunk was rightly given.
  void FindGroups() {
    const std::vector<ChunkRow>& rows = chunk_.rows;
    for (size_t i = 1; i <= rows.size(); ++i) {
      if (i == rows.size() || rows[i].attributes != rows[i - 1].attributes) {
        chunk_.group_ends.push_back(static_cast<uint32_t>(i));
      } else if (rows[i].time < rows[i - 1].time) {
        chunk_.group_ends.clear();
        return;
      }
    }
  }

  absl::Status ReadTimes() {
    const uint64_t first = in_.Varint();
    FLARE_RETURN_IF_ERROR(ReadNumbers());
    uint64_t quotient = 0;
    for (size_t i = 0; i < chunk_.rows.size(); ++i) {
      const bool is_first_of_set =
          i == 0 || chunk_.rows[i].attributes != chunk_.rows[i - 1].attributes;
      quotient = (is_first_of_set ? first : quotient) + numbers_[i];
      chunk_.rows[i].time = quotient * chunk_.period;
    }
    if (chunk_.period == 1)
      return absl::OkStatus();
    // Contexts are values that sets have, and "none".
    const uint64_t contexts = in_.Varint();
    if (contexts == 0 || contexts > set_count_ + 1)
      return Broken("too many contexts");
    context_.assign(set_count_, 0);
    if (contexts > 1 && !ReadColumn(in_, set_count_, &context_))
      return Broken("a column is cut short");
    if (std::ranges::any_of(context_, [&](uint64_t context) { return context >= contexts; }))
      return Broken("context out of range");
    FLARE_RETURN_IF_ERROR(ReadNumbers());
    Remainders expected(contexts);
    for (size_t i = 0; i < chunk_.rows.size(); ++i) {
      const uint64_t at = context_[chunk_.rows[i].attributes];
      const uint64_t remainder =
          base::AddDifference(expected.Expected(at), base::UnZigZag(numbers_[i]));
      expected.Met(at, remainder);
      chunk_.rows[i].time += remainder;
    }
    return absl::OkStatus();
  }

  // The first of a row's columns, since it cannot be all zero: it shows how many rows there are
  // before room is made for them.
  absl::Status ReadStacks(uint64_t rows) {
    const std::vector<uint32_t> stacks = ReadAscending(in_);
    std::vector<uint64_t> counts;
    if (!ReadColumn(in_, stacks.size(), &counts))
      return Broken("a column is cut short");
    const std::vector<uint32_t> order = OrderByCount(counts);
    if (rows > 0 && IsAllZero(in_))
      return Broken("rows without stacks");
    FLARE_RETURN_IF_ERROR(ReadNumbers(rows));
    chunk_.rows.resize(rows);
    for (size_t i = 0; i < chunk_.rows.size(); ++i) {
      if (numbers_[i] > stacks.size() || (i == 0 && numbers_[i] == 0))
        return Broken("stack out of range");
      chunk_.rows[i].stack =
          numbers_[i] == 0 ? chunk_.rows[i - 1].stack : stacks[order[numbers_[i] - 1]];
    }
    return absl::OkStatus();
  }

  absl::Status ReadValues() {
    if (in_.Take(1) == std::string_view("\1", 1))
      return absl::OkStatus();
    FLARE_RETURN_IF_ERROR(ReadNumbers());
    for (size_t i = 0; i < chunk_.rows.size(); ++i)
      chunk_.rows[i].value = base::UnZigZag(numbers_[i]);
    return absl::OkStatus();
  }

  absl::Status ReadLinks() {
    chunk_.links.resize(in_.Count());
    for (ChunkLink& link : chunk_.links) {
      std::ranges::copy(in_.Take(link.trace_id.size()), link.trace_id.begin());
      std::ranges::copy(in_.Take(link.span_id.size()), link.span_id.begin());
    }
    if (chunk_.links.empty())
      return absl::OkStatus();
    FLARE_RETURN_IF_ERROR(ReadNumbers());
    uint32_t met = 0;
    for (size_t i = 0; i < chunk_.rows.size(); ++i) {
      const uint64_t code = numbers_[i];
      if (code == kNoLink)
        continue;
      if (code == kNewLink ? met == chunk_.links.size() : code - kLatestLink >= met)
        return Broken("link out of range");
      chunk_.rows[i].link =
          code == kNewLink ? ++met : met - static_cast<uint32_t>(code - kLatestLink);
    }
    return absl::OkStatus();
  }

  absl::Status ReadProfiles() {
    chunk_.profiles.resize(in_.Count());
    ChunkProfile last;
    for (ChunkProfile& profile : chunk_.profiles) {
      if (!in_.ok())
        break;
      ReadProfile(last, &profile);
      last.time = profile.time;
      last.duration = profile.duration;
    }
    FLARE_RETURN_IF_ERROR(ReadNumbers());
    for (size_t i = 0; i < chunk_.rows.size(); ++i) {
      ChunkRow& row = chunk_.rows[i];
      const uint64_t profile = base::AddDifference(LikelyProfile(chunk_.profiles, row.time),
                                                   base::UnZigZag(numbers_[i]));
      if (profile >= chunk_.profiles.size())
        return Broken("profile out of range");
      row.profile = static_cast<uint32_t>(profile);
    }
    return absl::OkStatus();
  }

  void ReadProfile(const ChunkProfile& last, ChunkProfile* profile) {
    const std::string_view flags_byte = in_.Take(1);
    const auto flags = static_cast<uint8_t>(flags_byte.empty() ? 0 : flags_byte[0]);
    profile->has_timestamps = (flags & kHasTimestamps) != 0;
    profile->has_values = (flags & kHasValues) != 0;
    profile->time = base::AddDifference(last.time, in_.Signed());
    profile->duration = base::AddDifference(last.duration, in_.Signed());
    profile->attributes.resize(in_.Count());
    for (ChunkAttribute& entry : profile->attributes) {
      entry.key = in_.Varint32();
      entry.attribute = in_.Varint32();
    }
    if ((flags & kHasId) != 0)
      profile->profile_id = in_.Bytes();
  }

  absl::Status ReadAttributes(std::string_view bytes) {
    ByteReader in(bytes);
    chunk_.attribute_sets.assign(set_count_, {});
    std::vector<uint64_t> values;
    for (size_t columns = in.Count(); columns > 0; --columns) {
      const uint32_t key = in.Varint32();
      const std::vector<uint32_t> attributes = ReadAscending(in);
      FLARE_RETURN_IF_ERROR(ReadColumnOfSets(in, &values));
      for (size_t set = 0; set < set_count_; ++set) {
        if (values[set] > attributes.size())
          return Broken("attribute out of range");
        if (values[set] != 0) {
          chunk_.attribute_sets[set].push_back(
              {.key = key, .attribute = attributes[values[set] - 1]});
        }
      }
    }
    return in.AtEnd() ? absl::OkStatus() : Broken("attributes cut short or too long");
  }

  absl::Status ReadColumnOfSets(ByteReader& in, std::vector<uint64_t>* values) {
    const std::string_view form = in.Take(1);
    if (form.empty())
      return Broken("attributes cut short");
    switch (form[0]) {
      case kIsContext:
        if (context_.size() != set_count_)
          return Broken("attributes name a context that is not there");
        *values = context_;
        return absl::OkStatus();
      case kConstant:
        values->assign(set_count_, in.Varint());
        return absl::OkStatus();
      case kEachSet:
        return ReadColumn(in, set_count_, values) ? absl::OkStatus()
                                                  : Broken("attributes cut short");
      default:
        return Broken("an attribute column of unknown form");
    }
  }

  const char version_;
  ByteReader in_;
  Chunk& chunk_;
  uint64_t set_count_ = 0;
  std::vector<uint64_t> context_;  // of each set
  std::vector<uint64_t> numbers_;  // of the column that is being read
};

}  // namespace

absl::Status DecodeChunk(std::string_view bytes, Chunk* chunk, ChunkColumns columns) {
  *chunk = {};
  if (!IsKnown(bytes))
    return Broken("not of a version this program knows");
  return ChunkDecoder(bytes, chunk).Decode(columns);
}

ChunkBounds ReadChunkBounds(std::string_view bytes) {
  if (!IsKnown(bytes))
    return {};
  ByteReader in(bytes.substr(1));
  const Head head = ReadHead(bytes[0], in);
  return in.ok() ? head.bounds.value_or(ChunkBounds()) : ChunkBounds();
}

}  // namespace flarestack::store
