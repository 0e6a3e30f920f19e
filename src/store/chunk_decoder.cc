// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "base/byte_io.h"
#include "base/status.h"
#include "store/chunk_bytes.h"

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

class ChunkDecoder {
 public:
  ChunkDecoder(std::string_view bytes, Chunk* chunk) : in_(bytes), chunk_(*chunk) {}

  absl::Status Decode(ChunkColumns columns) {
    chunk_.rows.resize(in_.Count());
    chunk_.period = in_.Varint();
    if (chunk_.period == 0)
      return Broken("cut short");
    FLARE_RETURN_IF_ERROR(ReadTimes());
    FLARE_RETURN_IF_ERROR(ReadStacks());
    ReadValues();
    FLARE_RETURN_IF_ERROR(ReadLinks());
    FLARE_RETURN_IF_ERROR(ReadProfiles());
    const std::string_view attributes = in_.Bytes();
    if (!in_.AtEnd())
      return Broken("cut short or too long");
    return columns == ChunkColumns::kAll ? ReadAttributes(attributes) : absl::OkStatus();
  }

 private:
  absl::Status ReadTimes() {
    uint64_t quotient = 0;
    for (ChunkRow& row : chunk_.rows) {
      quotient += in_.Varint();
      row.time = quotient * chunk_.period;
    }
    if (chunk_.period == 1)
      return absl::OkStatus();
    // Contexts are values that rows have, and "none".
    const uint64_t contexts = in_.Varint();
    if (contexts == 0 || contexts > chunk_.rows.size() + 1)
      return chunk_.rows.empty() && contexts == 1 ? absl::OkStatus() : Broken("too many contexts");
    context_.assign(chunk_.rows.size(), 0);
    if (contexts > 1) {
      for (uint32_t& context : context_) {
        context = in_.Varint32();
        if (context >= contexts)
          return Broken("context out of range");
      }
    }
    Remainders expected(contexts);
    for (size_t i = 0; i < chunk_.rows.size(); ++i) {
      const uint64_t remainder = base::AddDifference(expected.Expected(context_[i]), in_.Signed());
      expected.Met(context_[i], remainder);
      chunk_.rows[i].time += remainder;
    }
    return absl::OkStatus();
  }

  absl::Status ReadStacks() {
    const std::vector<uint32_t> stacks = ReadAscending(in_);
    for (ChunkRow& row : chunk_.rows) {
      const uint64_t stack = in_.Varint();
      if (stack >= stacks.size())
        return Broken("stack out of range");
      row.stack = stacks[stack];
    }
    return absl::OkStatus();
  }

  void ReadValues() {
    if (in_.Take(1) == std::string_view("\1", 1))
      return;
    for (ChunkRow& row : chunk_.rows)
      row.value = in_.Signed();
  }

  absl::Status ReadLinks() {
    chunk_.links.resize(in_.Count());
    for (ChunkLink& link : chunk_.links) {
      std::ranges::copy(in_.Take(link.trace_id.size()), link.trace_id.begin());
      std::ranges::copy(in_.Take(link.span_id.size()), link.span_id.begin());
    }
    if (chunk_.links.empty())
      return absl::OkStatus();
    for (ChunkRow& row : chunk_.rows) {
      row.link = in_.Varint32();
      if (row.link > chunk_.links.size())
        return Broken("link out of range");
    }
    return absl::OkStatus();
  }

  absl::Status ReadProfiles() {
    uint32_t profile = 0;
    uint32_t profile_max = 0;
    for (ChunkRow& row : chunk_.rows) {
      profile = row.profile = static_cast<uint32_t>(base::AddDifference(profile, in_.Signed()));
      profile_max = std::max(profile_max, profile);
    }
    chunk_.profiles.resize(in_.Count());
    if (!in_.ok() || (!chunk_.rows.empty() && profile_max >= chunk_.profiles.size()))
      return Broken("profile out of range");
    const std::vector<RowSpan> spans = RowSpans(chunk_);
    uint64_t last_duration = 0;
    for (size_t i = 0; i < chunk_.profiles.size() && in_.ok(); ++i) {
      ReadProfile(spans[i], last_duration, &chunk_.profiles[i]);
      last_duration = chunk_.profiles[i].duration;
    }
    return absl::OkStatus();
  }

  void ReadProfile(const RowSpan& span, uint64_t last_duration, ChunkProfile* profile) {
    const std::string_view flags_byte = in_.Take(1);
    const auto flags = static_cast<uint8_t>(flags_byte.empty() ? 0 : flags_byte[0]);
    profile->has_timestamps = (flags & kHasTimestamps) != 0;
    profile->has_values = (flags & kHasValues) != 0;
    profile->time = base::AddDifference(span.first, in_.Signed());
    const uint64_t base =
        (flags & kDurationIsSpan) != 0 ? span.last - profile->time : last_duration;
    profile->duration = base::AddDifference(base, in_.Signed());
    profile->attributes.resize(in_.Count());
    for (ChunkAttribute& entry : profile->attributes) {
      entry.key = in_.Varint32();
      entry.attribute = in_.Varint32();
    }
    if ((flags & kHasId) != 0)
      profile->profile_id = in_.Bytes();
  }

  struct AttributeColumn {
    uint32_t key = 0;
    std::vector<uint32_t> attributes;
    std::vector<uint32_t> of_row;  // position plus one in `attributes`; 0 is none
  };

  absl::Status ReadAttributes(std::string_view bytes) {
    ByteReader in(bytes);
    std::vector<AttributeColumn> columns(in.Count());
    for (AttributeColumn& column : columns) {
      FLARE_RETURN_IF_ERROR(ReadAttributeColumn(in, &column));
    }
    if (!in.AtEnd())
      return Broken("attributes cut short or too long");
    // Rows with the same values share a set again.
    absl::flat_hash_map<std::string, uint32_t> known;
    std::string values;
    for (size_t i = 0; i < chunk_.rows.size(); ++i) {
      values.clear();
      for (const AttributeColumn& column : columns)
        base::AppendVarint(column.of_row[i], &values);
      const auto [at, is_new] =
          known.try_emplace(values, static_cast<uint32_t>(chunk_.attribute_sets.size()));
      if (is_new)
        chunk_.attribute_sets.push_back(SetOfRow(columns, i));
      chunk_.rows[i].attributes = at->second;
    }
    return absl::OkStatus();
  }

  absl::Status ReadAttributeColumn(ByteReader& in, AttributeColumn* column) {
    column->key = in.Varint32();
    column->attributes = ReadAscending(in);
    const std::string_view form = in.Take(1);
    if (form.empty())
      return Broken("attributes cut short");
    switch (form[0]) {
      case kIsContext:
        column->of_row = context_;
        break;
      case kConstant:
        column->of_row.assign(chunk_.rows.size(), in.Varint32());
        break;
      case kEachRow:
        column->of_row.resize(chunk_.rows.size());
        for (uint32_t& value : column->of_row)
          value = in.Varint32();
        break;
      default:
        return Broken("an attribute column of unknown form");
    }
    if (column->of_row.size() != chunk_.rows.size() ||
        std::ranges::any_of(column->of_row,
                            [&](uint32_t value) { return value > column->attributes.size(); }))
      return Broken("attribute out of range");
    return absl::OkStatus();
  }

  static ChunkAttributes SetOfRow(const std::vector<AttributeColumn>& columns, size_t row) {
    ChunkAttributes set;
    for (const AttributeColumn& column : columns) {
      if (const uint32_t value = column.of_row[row]; value != 0)
        set.push_back({.key = column.key, .attribute = column.attributes[value - 1]});
    }
    return set;
  }

  ByteReader in_;
  Chunk& chunk_;
  std::vector<uint32_t> context_;  // of each row
};

}  // namespace

absl::Status DecodeChunk(std::string_view bytes, Chunk* chunk, ChunkColumns columns) {
  *chunk = {};
  if (bytes.empty() || bytes[0] != kChunkVersion)
    return Broken("not of a version this program knows");
  return ChunkDecoder(bytes.substr(1), chunk).Decode(columns);
}

}  // namespace flarestack::store
