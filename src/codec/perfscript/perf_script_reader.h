// SPDX-License-Identifier: Apache-2.0
//
// Reads the text of `perf script`, as printed by default or with -F. Each event becomes one
// profile:
//
//   cpu-clock or task-clock with a period   cpu/nanoseconds; if both exist, the second
//                                           keeps its name
//   any other event                         <event>/count; the period if printed,
//                                           else 1 per sample
//
// Samples carry thread.name, process.pid, thread.id and cpu.logical_number. perf counts time from
// boot: the timestamps keep order and distance, and a warning says that they are not wall-clock
// times. The fields of tracepoints and the side-band records (PERF_RECORD_...) are skipped with a
// warning.
#pragma once

#include "codec/format/format.h"

namespace flarestack::codec::perfscript {

extern const Reader kPerfScriptReader;

}  // namespace flarestack::codec::perfscript
