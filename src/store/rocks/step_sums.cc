// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/step_sums.h"

#include <algorithm>
#include <optional>

#include "base/saturating.h"
#include "base/status.h"
#include "base/step_finder.h"
#include "store/rocks/chunk_scan.h"
#include "store/rocks/keys.h"
#include "store/rocks/rollups.h"

namespace flarestack::store::rocks {
namespace {

class Stepping {
 public:
  Stepping(const Database& database, const StepRequest& request, RowFilter* filter,
           ReadControl* control, StepSums* sums)
      : database_(database),
        request_(request),
        range_(request.sum.range),
        filter_(*filter),
        control_(*control),
        sums_(*sums) {}

  absl::Status Run() {
    const std::optional<HourSpan> stored = StoredHours(database_);
    if (!stored.has_value() || range_.from >= range_.to)
      return absl::OkStatus();
    const uint32_t last = std::min(stored->last, HourOf(range_.to - 1));
    const auto chunks = database_.NewIterator(Family::kSamples);
    std::optional<uint32_t> hour =
        NextHourOf(request_.sum.series, std::max(stored->first, HourOf(range_.from)), chunks.get());
    while (hour.has_value() && *hour <= last && !control_.is_stopped()) {
      if (request_.without_stacks)
        sums_.of_all.resize(StepOf(range_.to - 1) + 1, 0);
      FLARE_RETURN_IF_ERROR(AddHour(*hour));
      hour = NextHourOf(request_.sum.series, *hour + 1, chunks.get());
    }
    return absl::OkStatus();
  }

 private:
  uint32_t StepOf(uint64_t time) const {
    return static_cast<uint32_t>((time - range_.from) / request_.step);
  }

  void Add(uint32_t stack, uint32_t step, int64_t value) {
    int64_t& sum = request_.without_stacks ? sums_.of_all[step] : sums_.by_stack[{stack, step}];
    sum = base::SaturatingAdd(sum, value);
  }

  absl::Status AddHour(uint32_t hour) {
    const uint64_t begin = uint64_t{hour} * kNanosPerHour;
    const TimeRange rows = {.from = std::max(range_.from, begin),
                            .to = std::min(range_.to, begin + kNanosPerHour)};
    bool is_rolled = false;
    if (request_.sum.can_use_rollups) {
      FLARE_ASSIGN(is_rolled, AddRolledHour(hour, rows));
    }
    return is_rolled ? absl::OkStatus() : AddRows(rows);
  }

  // False where this hour cannot be put together from roll-ups.
  absl::StatusOr<bool> AddRolledHour(uint32_t hour, TimeRange rows) {
    const uint64_t begin = uint64_t{hour} * kNanosPerHour;
    if (StepOf(rows.from) == StepOf(rows.to - 1) && rows.from == begin &&
        rows.to == begin + kNanosPerHour) {
      FLARE_ASSIGN(
          const std::optional<StackSums> sums,
          ReadRollup(database_,
                     {.level = RollupLevel::kHour, .period = hour, .series = request_.sum.series}));
      if (sums.has_value())
        AddAll(*sums, StepOf(rows.from));
      return sums.has_value();
    }
    if (range_.from % kNanosPerMinute != 0 || request_.step % kNanosPerMinute != 0 ||
        rows.to % kNanosPerMinute != 0)
      return false;
    for (uint64_t from = rows.from; from < rows.to;) {
      const uint32_t step = StepOf(from);
      const uint64_t to = std::min(rows.to, range_.from + (step + uint64_t{1}) * request_.step);
      StackSummer summer;
      FLARE_ASSIGN(
          const bool is_rolled,
          AddRolledMinutes(database_, hour, request_.sum.series,
                           static_cast<uint32_t>((from - begin) / kNanosPerMinute),
                           static_cast<uint32_t>((to - begin) / kNanosPerMinute), &summer));
      if (!is_rolled)
        return false;  // which the first step of the hour tells: there are all minutes or none
      AddAll(summer.sums(), step);
      from = to;
    }
    return true;
  }

  void AddAll(const StackSums& sums, uint32_t step) {
    for (const StackSum& sum : sums.stacks)
      Add(sum.stack, step, sum.value);
  }

  absl::Status AddRows(TimeRange range) {
    const auto columns =
        filter_.needs_attributes() ? ChunkColumns::kAll : ChunkColumns::kAllButAttributes;
    return ForEachChunk(database_, request_.sum.series, range, columns,
                        [&](uint32_t /*hour*/, const Chunk& chunk) -> absl::Status {
                          if (!control_.GoOn(chunk.rows.size()))
                            return absl::OkStatus();
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

  const Database& database_;
  const StepRequest& request_;
  const TimeRange range_;
  RowFilter& filter_;
  ReadControl& control_;
  StepSums& sums_;
};

}  // namespace

absl::Status SumSteps(const Database& database, const StepRequest& request, RowFilter* filter,
                      ReadControl* control, StepSums* sums) {
  return Stepping(database, request, filter, control, sums).Run();
}

}  // namespace flarestack::store::rocks
