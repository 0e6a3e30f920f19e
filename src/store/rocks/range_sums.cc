// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/range_sums.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/status.h"
#include "store/rocks/chunk_scan.h"
#include "store/rocks/keys.h"
#include "store/rocks/rollups.h"

namespace flarestack::store::rocks {
namespace {

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

  // Row by row.
  absl::Status AddRows(TimeRange range) {
    const auto columns =
        filter_.needs_attributes() ? ChunkColumns::kAll : ChunkColumns::kAllButAttributes;
    return ForEachChunk(database_, series_, range, columns,
                        [&](uint32_t hour, const Chunk& chunk) -> absl::Status {
                          if (!control_.GoOn(chunk.rows.size()))
                            return absl::OkStatus();
                          FLARE_RETURN_IF_ERROR(filter_.Enter(chunk));
                          ForEachRowNear(chunk, range, [&](const ChunkRow& row) {
                            if (filter_.Accepts(row, range))
                              sums_.summer.Add(row.stack, row.value, 1);
                          });
                          tally_.Add(hour, chunk, range, [&](const ChunkProfile& profile) {
                            sums_.summer.AddProfiles(1, profile.duration);
                          });
                          NoteFirst(hour);
                          return absl::OkStatus();
                        });
  }

  // Roll-ups are asked for first: whether an hour has samples at all is known only once a block of
  // them was read, which takes longer than the roll-up.
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
        FLARE_RETURN_IF_ERROR(AddRows(RowsOf(hour)));
        ++hour;
      } else {
        // A day that is asked for as a whole is begun at its begin.
        const uint32_t day_begin = *next - *next % kHoursPerDay;
        hour = day_begin > hour && IsWhole(day_begin, kHoursPerDay) ? day_begin : *next;
      }
    }
    return absl::OkStatus();
  }

 private:
  bool IsWhole(uint32_t begin, uint32_t count) const {
    return uint64_t{begin} * kNanosPerHour >= range_.from &&
           (uint64_t{begin} + count) * kNanosPerHour <= range_.to;
  }

  void NoteFirst(uint32_t hour) {
    sums_.first_nanos = std::min(sums_.first_nanos, uint64_t{hour} * kNanosPerHour);
  }

  absl::StatusOr<bool> AddRollup(RollupLevel level, uint32_t period, uint32_t begin_hour) {
    FLARE_ASSIGN(const std::optional<StackSums> sums,
                 ReadRollup(database_, {.level = level, .period = period, .series = series_}));
    if (sums.has_value() && !sums->stacks.empty()) {
      sums_.summer.Add(*sums);
      NoteFirst(begin_hour);
    }
    return sums.has_value();
  }

  TimeRange RowsOf(uint32_t hour) const {
    const uint64_t begin = uint64_t{hour} * kNanosPerHour;
    return {.from = std::max(range_.from, begin), .to = std::min(range_.to, begin + kNanosPerHour)};
  }

  // How many hours from this one on a roll-up told of; 0 where there is none.
  absl::StatusOr<uint32_t> AddRolled(uint32_t hour) {
    if (hour % kHoursPerDay == 0 && IsWhole(hour, kHoursPerDay)) {
      FLARE_ASSIGN(const bool has_day, AddRollup(RollupLevel::kDay, hour / kHoursPerDay, hour));
      if (has_day)
        return kHoursPerDay;
    }
    bool is_rolled = false;
    const TimeRange rows = RowsOf(hour);
    if (IsWhole(hour, 1)) {
      FLARE_ASSIGN(is_rolled, AddRollup(RollupLevel::kHour, hour, hour));
    } else if (rows.from % kNanosPerMinute == 0 && rows.to % kNanosPerMinute == 0) {
      const auto minute = [&](uint64_t time) {
        return static_cast<uint32_t>((time - uint64_t{hour} * kNanosPerHour) / kNanosPerMinute);
      };
      FLARE_ASSIGN(is_rolled, AddRolledMinutes(database_, hour, series_, minute(rows.from),
                                               minute(rows.to), &sums_.summer));
      if (is_rolled)
        NoteFirst(hour);
    }
    return is_rolled ? 1 : 0;
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
