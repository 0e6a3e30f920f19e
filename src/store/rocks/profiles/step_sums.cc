// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/step_sums.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/saturating.h"
#include "base/status.h"
#include "base/step_finder.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/profiles/chunk_scan.h"
#include "store/rocks/profiles/rollups.h"
#include "store/rocks/profiles/step_grid.h"

namespace flarestack::store::rocks {
namespace {

class Stepping {
 public:
  Stepping(const Database& database, const StepRequest& request, RowFilter* filter,
           ReadControl* control, StepSums* sums)
      : database_(database),
        request_(request),
        range_(request.sum.range),
        grid_(range_, request.step),
        filter_(*filter),
        control_(*control),
        sums_(*sums) {}

  absl::Status Run() {
    std::unique_ptr<rocksdb::Iterator> chunks;
    auto rolled = sums_.rolled_hours.begin();
    uint32_t hour = request_.hours.first;
    while (hour <= request_.hours.last && !control_.is_stopped()) {
      rolled = std::lower_bound(rolled, sums_.rolled_hours.end(), hour);
      if (rolled != sums_.rolled_hours.end() && *rolled == hour) {
        ++hour;
        continue;
      }
      if (chunks == nullptr)
        chunks = database_.NewIterator(Family::kSamples);
      const std::optional<uint32_t> next = NextHourOf(request_.sum.series, hour, chunks.get());
      if (!next.has_value() || *next > request_.hours.last)
        break;
      if (*next == hour) {
        if (request_.without_stacks)
          sums_.of_all.resize(grid_.step_count(), 0);
        if (sums_.counts_profiles)
          sums_.profiles.resize(grid_.step_count(), 0);
        FLARE_RETURN_IF_ERROR(AddHour(hour++));
      } else {
        hour = *next;
      }
    }
    return absl::OkStatus();
  }

 private:
  void Add(uint32_t stack, uint32_t step, int64_t value) {
    int64_t& sum = request_.without_stacks ? sums_.of_all[step] : sums_.by_stack[{stack, step}];
    sum = base::SaturatingAdd(sum, value);
  }

  absl::Status AddHour(uint32_t hour) {
    bool is_rolled = false;
    if (request_.sum.can_use_rollups) {
      FLARE_ASSIGN(is_rolled, AddRolledHour(hour));
    }
    return is_rolled ? absl::OkStatus() : AddRows(grid_.PartOf(hour));
  }

  // Returns false if the roll-ups cannot provide this hour.
  absl::StatusOr<bool> AddRolledHour(uint32_t hour) {
    const TimeRange part = grid_.PartOf(hour);
    const uint32_t series = request_.sum.series;
    if (grid_.HasInOneStep(hour)) {
      FLARE_ASSIGN(
          const std::optional<StackSums> sums,
          ReadRollup(database_, {.level = RollupLevel::kHour, .period = hour, .series = series}));
      if (sums.has_value())
        AddAll(*sums, grid_.StepOf(part.from));
      return sums.has_value();
    }
    if (!grid_.HasWholeMinutes(hour))
      return false;
    const uint64_t begin = uint64_t{hour} * kNanosPerHour;
    const MinuteRange minutes = {
        .first = static_cast<uint32_t>((part.from - begin) / kNanosPerMinute),
        .end = static_cast<uint32_t>((part.to - begin) / kNanosPerMinute)};
    return ForEachRolledMinute(database_, {.hour = hour, .series = series, .range = minutes},
                               [&](uint32_t minute, const StackSums& sums) {
                                 AddAll(sums, grid_.StepOf(begin + minute * kNanosPerMinute));
                               });
  }

  void AddAll(const StackSums& sums, uint32_t step) {
    for (const StackSum& sum : sums.stacks)
      Add(sum.stack, step, sum.value);
    if (sums_.counts_profiles)
      sums_.profiles[step] += sums.profile_count;
  }

  absl::Status AddRows(TimeRange range) {
    const bool needs_times_alone =
        request_.without_stacks && request_.sum.can_use_rollups && !sums_.counts_profiles;
    return needs_times_alone ? AddTimes(range) : AddFilteredRows(range);
  }

  // All rows of the range count, regardless of stack and attributes.
  absl::Status AddTimes(TimeRange range) {
    const auto add = [&](uint32_t /*hour*/, std::string_view bytes) -> absl::Status {
      FLARE_ASSIGN(const std::shared_ptr<const ChunkTimes> chunk,
                   database_.chunks().Times(NamedBytes(bytes)));
      if (control_.OnProgress(chunk->times.size()))
        AddTimesOf(*chunk, range);
      return absl::OkStatus();
    };
    return ForEachChunkBytes(database_, request_.sum.series, range, add);
  }

  // Most rows are in the same step as the previous row, so each run is summed first.
  void AddTimesOf(const ChunkTimes& chunk, TimeRange range) {
    base::StepFinder steps(range_.from, request_.step);
    uint64_t begin = range.to;  // start of the run's step, clipped to the range
    uint64_t end = range.from;
    uint32_t step = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < chunk.times.size(); ++i) {
      const uint64_t time = chunk.times[i];
      if (time < begin || time >= end) {
        if (time < range.from || time >= range.to)
          continue;
        Add(0, step, std::exchange(sum, 0));
        step = static_cast<uint32_t>(steps.Find(time));
        begin = std::max(range.from, range_.from + step * request_.step);
        end = std::min(range.to, range_.from + (step + uint64_t{1}) * request_.step);
      }
      sum = base::SaturatingAdd(sum, chunk.ValueOf(i));
    }
    Add(0, step, sum);
  }

  absl::Status AddFilteredRows(TimeRange range) {
    const auto columns =
        filter_.needs_attributes() ? ChunkColumns::kAll : ChunkColumns::kAllButAttributes;
    return ForEachChunk(database_, request_.sum.series, range, columns,
                        [&](uint32_t hour, const Chunk& chunk) -> absl::Status {
                          if (!control_.OnProgress(chunk.rows.size()))
                            return absl::OkStatus();
                          if (sums_.counts_profiles)
                            CountProfiles(hour, chunk, range);
                          FLARE_RETURN_IF_ERROR(filter_.Enter(chunk));
                          base::StepFinder steps(range_.from, request_.step);
                          ForEachRowNear(chunk, range, [&](const ChunkRow& row) {
                            if (filter_.Accepts(row, range))
                              Add(row.stack, static_cast<uint32_t>(steps.Find(row.time)),
                                  row.value);
                          });
                          return absl::OkStatus();
                        });
  }

  void CountProfiles(uint32_t hour, const Chunk& chunk, TimeRange range) {
    tally_.Add(hour, chunk.profiles, range,
               [&](const ChunkProfile& profile) { ++sums_.profiles[grid_.StepOf(profile.time)]; });
  }

  const Database& database_;
  const StepRequest& request_;
  const TimeRange range_;
  const StepGrid grid_;
  RowFilter& filter_;
  ReadControl& control_;
  StepSums& sums_;
  ProfileTally tally_;
};

}  // namespace

absl::Status SumSteps(const Database& database, const StepRequest& request, RowFilter* filter,
                      ReadControl* control, StepSums* sums) {
  return Stepping(database, request, filter, control, sums).Run();
}

}  // namespace flarestack::store::rocks
