// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/chunk_scan.h"

#include <algorithm>

#include "base/byte_reader.h"
#include "base/status.h"
#include "store/rocks/database/chunk_merge.h"
#include "store/rocks/database/keys.h"

namespace flarestack::store::rocks {

std::optional<uint32_t> NextHourOf(uint32_t series, uint32_t hour, rocksdb::Iterator* chunks) {
  const ReadingPieces pieces;
  while (true) {
    chunks->Seek(ToSlice(SamplePrefix(hour, series)));
    const auto found =
        chunks->Valid() ? SampleKey::Decode(ToView(chunks->key())) : std::optional<SampleKey>();
    if (!found.has_value())
      return std::nullopt;
    if (found->hour == hour && found->series == series)
      return hour;
    // The key found instead shows which hour to try next.
    hour = found->hour == hour || found->series > series ? found->hour + 1 : found->hour;
  }
}

std::optional<uint32_t> NearestHourOf(const Database& database, std::span<const uint32_t> series,
                                      uint32_t hour) {
  constexpr uint32_t kLooksMax = 20'000;
  const std::optional<HourSpan> stored = StoredHours(database);
  if (!stored.has_value())
    return std::nullopt;
  const ReadingPieces pieces;
  const auto at = database.NewIterator(Family::kSamples);
  uint32_t looks = 0;
  const auto has = [&](uint32_t candidate) {
    return std::ranges::any_of(series, [&](uint32_t number) {
      const std::string prefix = SamplePrefix(candidate, number);
      at->Seek(ToSlice(prefix));
      ++looks;
      return at->Valid() && at->key().starts_with(ToSlice(prefix));
    });
  };
  hour = std::clamp(hour, stored->first, stored->last);
  for (uint32_t distance = 0; looks < kLooksMax; ++distance) {
    const bool has_before = hour - stored->first >= distance;
    const bool has_after = stored->last - hour >= distance;
    if (!has_before && !has_after)
      break;
    if (has_before && has(hour - distance))
      return hour - distance;
    if (has_after && has(hour + distance))
      return hour + distance;
  }
  return std::nullopt;
}

std::optional<HourSpan> StoredHours(const Database& database, Family family) {
  const ReadingPieces pieces;
  const auto at = database.NewIterator(family);
  at->SeekToFirst();
  if (!at->Valid())
    return std::nullopt;
  HourSpan span;
  span.first = base::ByteReader(ToView(at->key())).BigEndian<uint32_t>();
  at->SeekToLast();
  if (!at->Valid())
    return std::nullopt;
  span.last = base::ByteReader(ToView(at->key())).BigEndian<uint32_t>();
  return span;
}

absl::Status ForEachChunkBytes(const Database& database, uint32_t series, TimeRange range,
                               absl::FunctionRef<absl::Status(uint32_t, std::string_view)> take) {
  const std::optional<HourSpan> stored = StoredHours(database);
  if (!stored.has_value() || range.from >= range.to)
    return absl::OkStatus();
  const auto take_piece = [&](uint32_t hour, std::string_view bytes) -> absl::Status {
    const ChunkBounds bounds = ReadChunkBounds(bytes);
    if (bounds.last < range.from || bounds.first >= range.to)
      return absl::OkStatus();
    return take(hour, bytes);
  };
  const ReadingPieces pieces;
  const auto at = database.NewIterator(Family::kSamples);
  const uint32_t last = std::min(stored->last, HourOf(range.to - 1));
  std::optional<uint32_t> hour =
      NextHourOf(series, std::max(stored->first, HourOf(range.from)), at.get());
  while (hour.has_value() && *hour <= last) {
    const std::string prefix = SamplePrefix(*hour, series);
    for (; at->Valid() && at->key().starts_with(ToSlice(prefix)); at->Next()) {
      const auto take_here = [&](std::string_view bytes) { return take_piece(*hour, bytes); };
      FLARE_RETURN_IF_ERROR(ForEachPiece(ToView(at->value()), take_here));
    }
    hour = NextHourOf(series, *hour + 1, at.get());
  }
  return ToStatus(at->status());
}

absl::Status ForEachChunk(const Database& database, uint32_t series, TimeRange range,
                          ChunkColumns columns,
                          absl::FunctionRef<absl::Status(uint32_t, const Chunk&)> take) {
  const auto decode = [&](uint32_t hour, std::string_view bytes) -> absl::Status {
    FLARE_ASSIGN(const std::shared_ptr<const Chunk> chunk,
                 database.chunks().Decode(NamedBytes(bytes), columns));
    return take(hour, *chunk);
  };
  return ForEachChunkBytes(database, series, range, decode);
}

void ProfileTally::Add(uint32_t hour, std::span<const ChunkProfile> profiles, TimeRange range,
                       absl::FunctionRef<void(const ChunkProfile&)> count) {
  if (hour != hour_) {
    hour_ = hour;
    seen_.clear();
  }
  for (const ChunkProfile& profile : profiles) {
    // A profile that spans two hours is in both, and counts in the hour in which it begins.
    if (HourOf(profile.time) == hour && profile.time >= range.from && profile.time < range.to &&
        seen_.insert(profile).second)
      count(profile);
  }
}

}  // namespace flarestack::store::rocks
