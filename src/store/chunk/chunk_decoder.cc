// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/byte_reader.h"
#include "base/status.h"
#include "store/chunk/chunk_bytes.h"
#include "store/chunk/chunk_parts.h"
#include "store/chunk/column.h"

namespace flarestack::store {
namespace {

using base::ByteReader;

class ChunkDecoder {
 public:
  ChunkDecoder(std::string_view bytes, Chunk* chunk) : in_(bytes), chunk_(*chunk) {}

  absl::Status Decode(ChunkColumns columns) {
    ChunkHead head;
    FLARE_RETURN_IF_ERROR(ReadChunkHead(in_, &head));
    chunk_.period = head.period;
    FLARE_RETURN_IF_ERROR(ReadStacks(head.rows));
    FLARE_RETURN_IF_ERROR(ReadSets());
    FLARE_RETURN_IF_ERROR(ReadTimes(head));
    FLARE_RETURN_IF_ERROR(ReadValues());
    FLARE_RETURN_IF_ERROR(ReadLinks());
    FLARE_RETURN_IF_ERROR(ReadProfiles());
    if (head.bounds.has_value() && *head.bounds != BoundsOf(chunk_))
      return BrokenChunk("its times do not match its head");
    FindGroups();
    const std::string_view attributes = in_.Bytes();
    if (!in_.AtEnd())
      return BrokenChunk("truncated or too long");
    if (columns == ChunkColumns::kAll)
      return ReadAttributes(attributes);
    for (ChunkRow& row : chunk_.rows)
      row.attributes = 0;
    return absl::OkStatus();
  }

 private:
  // Reads a column with one number per row.
  absl::Status ReadNumbers() {
    return ReadColumn(in_, chunk_.rows.size(), &numbers_) ? absl::OkStatus()
                                                          : BrokenChunk("a column is truncated");
  }

  absl::Status ReadSets() {
    FLARE_RETURN_IF_ERROR(ReadChunkSets(in_, chunk_.rows.size(), &set_sizes_));
    size_t row = 0;
    for (uint32_t set = 0; set < set_sizes_.size(); ++set) {
      for (uint64_t i = 0; i < set_sizes_[set]; ++i)
        chunk_.rows[row++].attributes = set;
    }
    return absl::OkStatus();
  }

  // The rows of one set are sorted by time if the encoded chunk was in canonical order.
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

  absl::Status ReadTimes(const ChunkHead& head) {
    ChunkRowTimes times;
    FLARE_RETURN_IF_ERROR(ReadChunkRowTimes(in_, head, set_sizes_, &times));
    for (size_t i = 0; i < chunk_.rows.size(); ++i)
      chunk_.rows[i].time = times.times[i];
    context_ = std::move(times.contexts);
    return absl::OkStatus();
  }

  absl::Status ReadStacks(uint64_t rows) {
    ChunkStacks stacks;
    FLARE_RETURN_IF_ERROR(ReadChunkStacks(in_, rows, &stacks));
    chunk_.rows.resize(rows);
    for (size_t i = 0; i < rows; ++i)
      chunk_.rows[i].stack = stacks.stacks[stacks.of_rows[i]];
    return absl::OkStatus();
  }

  absl::Status ReadValues() {
    if (in_.Take(1) == kEachRowCountsOne)
      return absl::OkStatus();
    FLARE_RETURN_IF_ERROR(ReadNumbers());
    for (size_t i = 0; i < chunk_.rows.size(); ++i)
      chunk_.rows[i].value = base::UnZigZag(numbers_[i]);
    return absl::OkStatus();
  }

  absl::Status ReadLinks() {
    chunk_.links = ReadChunkLinkList(in_);
    if (chunk_.links.empty())
      return absl::OkStatus();
    FLARE_RETURN_IF_ERROR(ReadNumbers());
    uint32_t met = 0;
    for (size_t i = 0; i < chunk_.rows.size(); ++i) {
      const uint64_t code = numbers_[i];
      if (code == kNoLink)
        continue;
      if (code == kNewLink ? met == chunk_.links.size() : code - kLatestLink >= met)
        return BrokenChunk("link out of range");
      chunk_.rows[i].link =
          code == kNewLink ? ++met : met - static_cast<uint32_t>(code - kLatestLink);
    }
    return absl::OkStatus();
  }

  absl::Status ReadProfiles() {
    chunk_.profiles = ReadChunkProfiles(in_);
    FLARE_RETURN_IF_ERROR(ReadNumbers());
    for (size_t i = 0; i < chunk_.rows.size(); ++i) {
      ChunkRow& row = chunk_.rows[i];
      const uint64_t profile = base::AddDifference(LikelyProfile(chunk_.profiles, row.time),
                                                   base::UnZigZag(numbers_[i]));
      if (profile >= chunk_.profiles.size())
        return BrokenChunk("profile out of range");
      row.profile = static_cast<uint32_t>(profile);
    }
    return absl::OkStatus();
  }

  absl::Status ReadAttributes(std::string_view bytes) {
    ByteReader in(bytes);
    chunk_.attribute_sets.assign(set_sizes_.size(), {});
    std::vector<uint64_t> values;
    for (size_t columns = in.Count(); columns > 0; --columns) {
      const uint32_t key = in.Varint32();
      const std::vector<uint32_t> attributes = ReadAscending(in);
      FLARE_RETURN_IF_ERROR(ReadColumnOfSets(in, &values));
      for (size_t set = 0; set < set_sizes_.size(); ++set) {
        if (values[set] > attributes.size())
          return BrokenChunk("attribute out of range");
        if (values[set] != 0) {
          chunk_.attribute_sets[set].push_back(
              {.key = key, .attribute = attributes[values[set] - 1]});
        }
      }
    }
    return in.AtEnd() ? absl::OkStatus() : BrokenChunk("attributes truncated or too long");
  }

  absl::Status ReadColumnOfSets(ByteReader& in, std::vector<uint64_t>* values) {
    const std::string_view form = in.Take(1);
    if (form.empty())
      return BrokenChunk("attributes truncated");
    switch (form[0]) {
      case kIsContext:
        if (context_.size() != set_sizes_.size())
          return BrokenChunk("attributes refer to a missing context");
        *values = context_;
        return absl::OkStatus();
      case kConstant:
        values->assign(set_sizes_.size(), in.Varint());
        return absl::OkStatus();
      case kEachSet:
        return ReadColumn(in, set_sizes_.size(), values) ? absl::OkStatus()
                                                         : BrokenChunk("attributes truncated");
      default:
        return BrokenChunk("an attribute column of unknown form");
    }
  }

  ByteReader in_;
  Chunk& chunk_;
  std::vector<uint64_t> set_sizes_;  // in rows
  std::vector<uint64_t> context_;    // of each set
  std::vector<uint64_t> numbers_;    // of the column being read
};

}  // namespace

absl::Status DecodeChunk(std::string_view bytes, Chunk* chunk, ChunkColumns columns) {
  *chunk = {};
  return ChunkDecoder(bytes, chunk).Decode(columns);
}

ChunkBounds ReadChunkBounds(std::string_view bytes) {
  ByteReader in(bytes);
  ChunkHead head;
  return ReadChunkHead(in, &head).ok() ? head.bounds.value_or(ChunkBounds()) : ChunkBounds();
}

}  // namespace flarestack::store
