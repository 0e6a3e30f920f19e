// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/range_sums.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/status.h"
#include "store/chunk/minute_sums.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/profiles/chunk_scan.h"
#include "store/rocks/profiles/rollups.h"

namespace flarestack::store::rocks {
namespace {

// Looking up the sum of a row takes several times as long as adding a row.
constexpr size_t kFew = 16;

class Summing {
 public:
  Summing(const Database& database, const SumRequest& request, RowFilter* filter,
          ReadControl* control, RangeSums* sums)
      : database_(database),
        series_(request.series),
        range_(request.range),
        filter_(*filter),
        control_(*control),
        sums_(*sums) {}

  // Adds row by row.
  absl::Status AddRows(TimeRange range) {
    return ForEachChunkBytes(database_, series_, range, [&](uint32_t hour, std::string_view bytes) {
      return AddRowsOf(hour, bytes, range);
    });
  }

  // Adds chunk by chunk, and row by row only where the range cuts a chunk.
  absl::Status AddChunks(TimeRange range) {
    return ForEachChunkBytes(
        database_, series_, range, [&](uint32_t hour, std::string_view bytes) -> absl::Status {
          return IsWithin(hour, ReadChunkBounds(bytes), range) ? AddTotalsOf(hour, bytes, range)
                                                               : AddPartOf(hour, bytes, range);
        });
  }

  // Tries roll-ups first: finding out whether an hour has samples means reading a block of them,
  // which takes longer than reading the roll-up.
  absl::Status AddAll() {
    const std::optional<HourSpan> stored = StoredHours(database_);
    if (!stored.has_value() || range_.from >= range_.to)
      return absl::OkStatus();
    uint32_t hour = std::max(stored->first, HourOf(range_.from));
    const uint32_t last = std::min(stored->last, HourOf(range_.to - 1));
    std::unique_ptr<rocksdb::Iterator> chunks;
    while (hour <= last && !control_.is_stopped()) {
      FLARE_ASSIGN(const uint32_t rolled_hours, AddRolled(hour));
      if (rolled_hours != 0) {
        hour += rolled_hours;
        continue;
      }
      if (chunks == nullptr)
        chunks = database_.NewIterator(Family::kSamples);
      const std::optional<uint32_t> next = NextHourOf(series_, hour, chunks.get());
      if (!next.has_value() || *next > last)
        return absl::OkStatus();
      if (*next == hour) {
        NoteFirst(hour);
        FLARE_RETURN_IF_ERROR(AddChunks(RowsOf(hour)));
        ++hour;
      } else {
        // If the range covers the whole day, continue at the start of the day.
        const uint32_t day_begin = *next - *next % kHoursPerDay;
        hour = day_begin > hour && IsWhole(day_begin, kHoursPerDay) ? day_begin : *next;
      }
    }
    return absl::OkStatus();
  }

 private:
  // Whether all rows of a chunk are in the range. A profile may begin before the hour of its rows.
  static bool IsWithin(uint32_t hour, const ChunkBounds& bounds, TimeRange range) {
    const uint64_t begin = uint64_t{hour} * kNanosPerHour;
    return std::max(bounds.first, begin) >= range.from &&
           std::min(bounds.last, begin + kNanosPerHour - 1) < range.to;
  }

  absl::Status AddRowsOf(uint32_t hour, std::string_view bytes, TimeRange range) {
    const NamedBytes named(bytes);
    if (filter_.needs_links()) {
      // Few chunks of the hour contain the spans, and checking the links reads only a small part of
      // one.
      FLARE_ASSIGN(const std::shared_ptr<const ChunkLinks> links, database_.chunks().Links(named));
      if (!filter_.WantsAnyOf(links->links)) {
        if (control_.OnProgress(links->rows))
          NoteChunk(hour, links->profiles, range);
        return absl::OkStatus();
      }
    }
    const auto columns =
        filter_.needs_attributes() ? ChunkColumns::kAll : ChunkColumns::kAllButAttributes;
    FLARE_ASSIGN(const std::shared_ptr<const Chunk> chunk,
                 database_.chunks().Decode(named, columns));
    return AddRowsOf(hour, *chunk, range);
  }

  absl::Status AddRowsOf(uint32_t hour, const Chunk& chunk, TimeRange range) {
    if (!control_.OnProgress(chunk.rows.size()))
      return absl::OkStatus();
    FLARE_RETURN_IF_ERROR(filter_.Enter(chunk));
    ForEachRowNear(chunk, range, [&](const ChunkRow& row) {
      if (filter_.Accepts(row, range))
        sums_.summer.Add(row.stack, row.value, 1);
    });
    NoteChunk(hour, chunk.profiles, range);
    return absl::OkStatus();
  }

  // All rows of the range count. If few rows of the chunk are outside, subtract those from the
  // chunk's totals.
  absl::Status AddPartOf(uint32_t hour, std::string_view bytes, TimeRange range) {
    const NamedBytes named(bytes);
    FLARE_ASSIGN(const std::shared_ptr<const Chunk> chunk,
                 database_.chunks().Decode(named, ChunkColumns::kAllButAttributes));
    if (chunk->group_ends.empty() || CountOutside(*chunk, range) > chunk->rows.size() / kFew)
      return AddRowsOf(hour, *chunk, range);
    FLARE_ASSIGN(const std::shared_ptr<const ChunkTotals> totals, database_.chunks().AddUp(named));
    if (!totals->is_exact)
      return AddRowsOf(hour, *chunk, range);
    if (!control_.OnProgress(totals->rows))
      return absl::OkStatus();
    sums_.summer.Add(Inside(*chunk, range, totals->sums));
    NoteChunk(hour, totals->profiles, range);
    return absl::OkStatus();
  }

  static uint64_t CountOutside(const Chunk& chunk, TimeRange range) {
    uint64_t count = 0;
    ForEachGroup(chunk, range,
                 [&](const CutGroup& group) { count += group.before.size() + group.after.size(); });
    return count;
  }

  static StackSums Inside(const Chunk& chunk, TimeRange range, StackSums sums) {
    const auto take_off = [&](std::span<const ChunkRow> rows) {
      for (const ChunkRow& row : rows) {
        StackSum& sum = *std::ranges::lower_bound(sums.stacks, row.stack, {}, &StackSum::stack);
        sum.value -= row.value;
        --sum.events;
      }
    };
    ForEachGroup(chunk, range, [&](const CutGroup& group) {
      take_off(group.before);
      take_off(group.after);
    });
    std::erase_if(sums.stacks, [](const StackSum& sum) { return sum.events == 0; });
    return sums;
  }

  absl::Status AddTotalsOf(uint32_t hour, std::string_view bytes, TimeRange range) {
    FLARE_ASSIGN(const std::shared_ptr<const ChunkTotals> totals,
                 database_.chunks().AddUp(NamedBytes(bytes)));
    if (!control_.OnProgress(totals->rows))
      return absl::OkStatus();
    sums_.summer.Add(totals->sums);
    NoteChunk(hour, totals->profiles, range);
    return absl::OkStatus();
  }

  void NoteChunk(uint32_t hour, std::span<const ChunkProfile> profiles, TimeRange range) {
    tally_.Add(hour, profiles, range,
               [&](const ChunkProfile& profile) { sums_.summer.AddProfiles(1, profile.duration); });
    NoteFirst(hour);
  }

  bool IsWhole(uint32_t begin, uint32_t count) const {
    return uint64_t{begin} * kNanosPerHour >= range_.from &&
           (uint64_t{begin} + count) * kNanosPerHour <= range_.to;
  }

  void NoteFirst(uint32_t hour) {
    sums_.first_nanos = std::min(sums_.first_nanos, uint64_t{hour} * kNanosPerHour);
  }

  RollupKey HourKey(uint32_t hour) const {
    return {.level = RollupLevel::kHour, .period = hour, .series = series_};
  }

  absl::StatusOr<bool> AddRollup(const RollupKey& key) {
    FLARE_ASSIGN(const std::optional<StackSums> sums, ReadRollup(database_, key));
    if (sums.has_value())
      sums_.summer.Add(*sums);
    return sums.has_value();
  }

  absl::StatusOr<bool> AddHour(uint32_t hour) {
    FLARE_ASSIGN(const bool is_rolled, AddRollup(HourKey(hour)));
    if (is_rolled)
      NoteFirst(hour);
    return is_rolled;
  }

  absl::StatusOr<bool> AddDay(uint32_t first_hour) {
    FLARE_ASSIGN(const bool is_rolled, AddRollup({.level = RollupLevel::kDay,
                                                  .period = first_hour / kHoursPerDay,
                                                  .series = series_}));
    if (!is_rolled || sums_.first_nanos <= uint64_t{first_hour} * kNanosPerHour)
      return is_rolled;
    // The sums of a day do not show in which hour the series began. Those of the hours do.
    for (uint32_t hour = first_hour; hour < first_hour + kHoursPerDay; ++hour) {
      FLARE_ASSIGN(const std::optional<std::string> bytes,
                   database_.Get(Family::kRollups, HourKey(hour).Encode()));
      if (bytes.has_value()) {
        NoteFirst(hour);
        break;
      }
    }
    return true;
  }

  TimeRange RowsOf(uint32_t hour) const {
    const uint64_t begin = uint64_t{hour} * kNanosPerHour;
    return {.from = std::max(range_.from, begin), .to = std::min(range_.to, begin + kNanosPerHour)};
  }

  // Returns how many hours from this one on a roll-up covered; 0 if there is none.
  absl::StatusOr<uint32_t> AddRolled(uint32_t hour) {
    if (hour % kHoursPerDay == 0 && IsWhole(hour, kHoursPerDay)) {
      FLARE_ASSIGN(const bool has_day, AddDay(hour));
      if (has_day)
        return kHoursPerDay;
    }
    FLARE_ASSIGN(const bool is_rolled, IsWhole(hour, 1) ? AddHour(hour) : AddMinutesOf(hour));
    return is_rolled ? 1 : 0;
  }

  // Adds an hour that the range cuts: its whole minutes from the roll-up, and the two cut minutes
  // from chunks. Returns false if there is no such roll-up.
  absl::StatusOr<bool> AddMinutesOf(uint32_t hour) {
    const TimeRange rows = RowsOf(hour);
    const uint64_t from = (rows.from + kNanosPerMinute - 1) / kNanosPerMinute;
    const uint64_t to = rows.to / kNanosPerMinute;
    if (from >= to)
      return false;
    const uint64_t first = uint64_t{hour} * kMinutesPerHour;
    FLARE_ASSIGN(
        const bool is_rolled,
        ForEachRolledMinute(database_,
                            {.hour = hour,
                             .series = series_,
                             .range = {.first = static_cast<uint32_t>(from - first),
                                       .end = static_cast<uint32_t>(to - first)}},
                            [&](uint32_t, const StackSums& sums) { sums_.summer.Add(sums); }));
    if (!is_rolled)
      return false;
    NoteFirst(hour);
    FLARE_RETURN_IF_ERROR(AddChunks({.from = rows.from, .to = from * kNanosPerMinute}));
    FLARE_RETURN_IF_ERROR(AddChunks({.from = to * kNanosPerMinute, .to = rows.to}));
    return true;
  }

  const Database& database_;
  const uint32_t series_;
  const TimeRange range_;
  RowFilter& filter_;
  ReadControl& control_;
  RangeSums& sums_;
  ProfileTally tally_;
};

}  // namespace

absl::Status SumRange(const Database& database, const SumRequest& request, RowFilter* filter,
                      ReadControl* control, RangeSums* sums) {
  Summing summing(database, request, filter, control, sums);
  return request.can_use_rollups ? summing.AddAll() : summing.AddRows(request.range);
}

}  // namespace flarestack::store::rocks
