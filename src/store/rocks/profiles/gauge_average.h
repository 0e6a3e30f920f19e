// SPDX-License-Identifier: Apache-2.0
//
// Averages of gauges (model/gauge_type.h): each profile of such a series is a snapshot. Over a time
// range, a series has the average of its snapshots. Series are added, each weighted by the fraction
// of the time in which it was present. So the sum is the overall average, and a restarted process
// does not count twice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "store/chunk/stack_sums.h"
#include "store/rocks/profiles/series_steps.h"

namespace flarestack::store::rocks {

bool IsGauge(const StoredSeries& series);

// How many steps before its range a chart reads, to find the snapshot that its first steps
// continue.
uint32_t StepsBefore(uint64_t step_nanos);

// Turns sums into averages. Each step gets the average of its snapshots, and steps between
// snapshots repeat the last one. The result omits the first `steps_before` steps.
void AverageSteps(uint64_t step_nanos, uint32_t steps_before, StepSums* sums);

// For each series, the fraction of the range in which it was present.
absl::StatusOr<std::vector<double>> ReadSharesOfTime(const Database& database,
                                                     std::span<const StoredSeries> series,
                                                     const ProfileQuery& query,
                                                     ReadControl* control);

// Turns `sums` into averages, times `share`.
void AverageSums(double share, StackSums* sums);

}  // namespace flarestack::store::rocks
