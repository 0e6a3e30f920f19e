// SPDX-License-Identifier: Apache-2.0
//
// How often the senders of a metric report. Steps shorter than that have no points in most of them.
#pragma once

#include <cstdint>

#include "model/metric.h"

namespace flarestack::query {

// Points this many intervals apart still belong together: one export may be late, or lost.
inline constexpr uint64_t kIntervalsJoined = 3;

// The median distance, in ns, between neighbouring points of one series. 0 when it has fewer than
// three different times.
uint64_t SeriesInterval(const model::MetricBatch& batch, const model::Metric& metric);

// The median over all series whose interval is known, in ns; 0 when there is none.
uint64_t TypicalInterval(const model::MetricBatch& batch);

}  // namespace flarestack::query
