// SPDX-License-Identifier: Apache-2.0
//
// How often the senders of a metric report. Most steps shorter than that have no points.
#pragma once

#include <cstdint>

#include "model/metric.h"

namespace flarestack::query {

// Points this many intervals apart still count as contiguous: one export may be late or lost.
inline constexpr uint64_t kIntervalsJoined = 3;

// The median distance between neighbouring points of a series, in ns. 0 if it has fewer than three
// distinct times.
uint64_t SeriesInterval(const model::MetricBatch& batch, const model::Metric& metric);

// The median over all series with a known interval, in ns; 0 if there is none.
uint64_t TypicalInterval(const model::MetricBatch& batch);

}  // namespace flarestack::query
