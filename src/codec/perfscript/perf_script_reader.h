// SPDX-License-Identifier: Apache-2.0
//
// Text of `perf script`, as printed by default or with -F. Each event becomes one profile:
//
//   cpu-clock or task-clock with a period      cpu/nanoseconds; where both are there, the second
//   keeps its own name any other event                            <event>/count; the period where
//   printed, else 1 per sample
//
// Samples carry thread.name, process.pid, thread.id and cpu.logical_number. perf counts time from
// boot: the timestamps keep order and distance, and a warning says that they are no time of day.
// The fields of tracepoints and the side-band records (PERF_RECORD_...) are left out with a
// warning.
#pragma once

#include "codec/format/format.h"

namespace flarestack::codec::perfscript {

extern const Reader kPerfScriptReader;

}  // namespace flarestack::codec::perfscript
