// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/rolled_totals.h"

#include <memory>
#include <optional>
#include <string>

#include "base/saturating.h"
#include "base/status.h"
#include "store/chunk/minute_sums.h"
#include "store/rocks/database/keys.h"

namespace flarestack::store::rocks {
namespace {

class TotalsWalk {
 public:
  TotalsWalk(const Database& database, const TotalsRequest& request, std::span<StepSums> sums)
      : at_(database.NewIterator(Family::kRollups)), request_(request), sums_(sums) {}

  absl::Status Run(const ReadControl& control) {
    uint32_t hour = request_.hours.first;
    while (hour <= request_.hours.last && !control.is_stopped()) {
      Seek(hour, request_.series.front());
      const std::optional<RollupKey> found = Key();
      if (!found.has_value())
        break;
      if (found->period != hour) {
        hour = found->period;  // skips hours without totals
        continue;
      }
      if (request_.grid.HasInOneStep(hour) || request_.grid.HasWholeMinutes(hour))
        FLARE_RETURN_IF_ERROR(AddHour(hour));
      ++hour;
    }
    return ToStatus(at_->status());
  }

 private:
  // A seek takes as long as several steps, and when many series are requested, the next one is at
  // most a few entries ahead.
  static constexpr int kStepsBeforeSeek = 8;

  void Seek(uint32_t hour, uint32_t series) {
    at_->Seek(ToSlice(
        RollupKey{.level = RollupLevel::kTotals, .period = hour, .series = series}.Encode()));
  }

  // Returns nullopt after the last of the totals.
  std::optional<RollupKey> Key() const {
    const auto key = at_->Valid() ? RollupKey::Decode(ToView(at_->key())) : std::nullopt;
    return key.has_value() && key->level == RollupLevel::kTotals ? key : std::nullopt;
  }

  absl::Status AddHour(uint32_t hour) {
    for (size_t i = 0; i < request_.series.size(); ++i) {
      const uint32_t wanted = request_.series[i];
      std::optional<RollupKey> key = Key();
      const auto is_before = [&] {
        return key.has_value() && key->period == hour && key->series < wanted;
      };
      for (int steps = 0; is_before() && steps < kStepsBeforeSeek; ++steps) {
        at_->Next();
        key = Key();
      }
      if (is_before()) {
        Seek(hour, wanted);
        key = Key();
      }
      if (!key.has_value() || key->period != hour)
        break;
      if (key->series == wanted)
        FLARE_RETURN_IF_ERROR(AddTotals(hour, &sums_[i]));
    }
    return absl::OkStatus();
  }

  absl::Status AddTotals(uint32_t hour, StepSums* sums) {
    MinuteTotals totals;
    FLARE_RETURN_IF_ERROR(DecodeMinuteTotals(ToView(at_->value()), &totals));
    if (sums->counts_profiles && !totals.has_profiles)
      return absl::OkStatus();
    sums->of_all.resize(request_.grid.step_count(), 0);
    if (sums->counts_profiles)
      sums->profiles.resize(request_.grid.step_count(), 0);
    sums->rolled_hours.push_back(hour);
    const TimeRange part = request_.grid.PartOf(hour);
    for (uint64_t time = part.from; time < part.to; time += kNanosPerMinute) {
      const uint32_t step = request_.grid.StepOf(time);
      const uint64_t minute = time % kNanosPerHour / kNanosPerMinute;
      int64_t& sum = sums->of_all[step];
      sum = base::SaturatingAdd(sum, totals.values[minute]);
      if (sums->counts_profiles)
        sums->profiles[step] += totals.profiles[minute];
    }
    return absl::OkStatus();
  }

  const std::unique_ptr<rocksdb::Iterator> at_;
  const TotalsRequest& request_;
  const std::span<StepSums> sums_;
};

}  // namespace

absl::Status AddRolledTotals(const Database& database, const TotalsRequest& request,
                             const ReadControl& control, std::span<StepSums> sums) {
  if (request.series.empty())
    return absl::OkStatus();
  return TotalsWalk(database, request, sums).Run(control);
}

}  // namespace flarestack::store::rocks
