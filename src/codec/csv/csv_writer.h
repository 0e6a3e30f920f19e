// SPDX-License-Identifier: Apache-2.0
//
// A table for spreadsheets and scripts (RFC 4180): one row per distinct stack, one column per
// sample type.
//
//   stack,samples/count,cpu/nanoseconds
//   main;run,3,30000000
//
// Rows are sorted by stack; a stack without a sample of some type has 0 in that column.
// Spreadsheets run a cell that begins with = + - @ as a formula, and the profiled program chooses
// the names, so such a text cell gets a ' prefix, with a warning. Numbers are not changed.
#pragma once

#include "codec/format/format.h"

namespace flarestack::codec::csv {

extern const Writer kCsvWriter;

}  // namespace flarestack::codec::csv
