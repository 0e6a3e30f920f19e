// SPDX-License-Identifier: Apache-2.0
//
// Averages of gauges (model/gauge_type.h): each profile of such a series is a snapshot. Over a
// range of time a series has the average of its snapshots; series are added, each with the part of
// the time in which it was there, so that the sum is the average of all together and a process that
// was restarted does not count twice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "store/chunk/stack_sums.h"
#include "store/rocks/profiles/series_steps.h"

namespace flarestack::store::rocks {

bool IsGauge(const StoredSeries& series);

// How many steps before its range a chart reads, for the snapshot that its first steps go on from.
uint32_t StepsBefore(uint64_t step_nanos);

// Makes averages of sums: each step has the average of its snapshots, and steps between snapshots
// have what the last one had. The first `steps_before` steps are left out of the result.
void AverageSteps(uint64_t step_nanos, uint32_t steps_before, StepSums* sums);

// For each series, the part of the time of a range in which it was there.
absl::StatusOr<std::vector<double>> ReadSharesOfTime(const Database& database,
                                                     std::span<const StoredSeries> series,
                                                     const ProfileQuery& query,
                                                     ReadControl* control);

// The average of `sums`, times `share`.
void AverageSums(double share, StackSums* sums);

}  // namespace flarestack::store::rocks
