// SPDX-License-Identifier: Apache-2.0
//
// The steps of a time range, counted from its start, and how they align with hours and minutes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "store/rocks/database/keys.h"
#include "store/store.h"

namespace flarestack::store::rocks {

class StepGrid {
 public:
  StepGrid(TimeRange range, uint64_t step_nanos) : range_(range), step_(step_nanos) {}

  uint32_t StepOf(uint64_t time) const {
    return static_cast<uint32_t>((time - range_.from) / step_);
  }
  uint32_t step_count() const { return StepOf(range_.to - 1) + 1; }

  // The part of the range inside an hour that it overlaps.
  TimeRange PartOf(uint32_t hour) const {
    const uint64_t begin = uint64_t{hour} * kNanosPerHour;
    return {.from = std::max(range_.from, begin), .to = std::min(range_.to, begin + kNanosPerHour)};
  }

  // Whether the range covers the whole hour, in a single step.
  bool HasInOneStep(uint32_t hour) const {
    const TimeRange part = PartOf(hour);
    return part.to - part.from == kNanosPerHour && StepOf(part.from) == StepOf(part.to - 1);
  }

  // Whether the bounds of the range and the steps fall on whole minutes in this hour.
  bool HasWholeMinutes(uint32_t hour) const {
    return range_.from % kNanosPerMinute == 0 && step_ % kNanosPerMinute == 0 &&
           PartOf(hour).to % kNanosPerMinute == 0;
  }

 private:
  const TimeRange range_;
  const uint64_t step_;
};

}  // namespace flarestack::store::rocks
