// SPDX-License-Identifier: Apache-2.0
//
// The common part of the heap formats: the four numbers of a row, and the estimation from sampled
// numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "codec/pprof/legacy/legacy_builder.h"
#include "codec/pprof/legacy/legacy_text.h"

namespace flarestack::codec::pprof::legacy {

struct HeapPair {
  int64_t count = 0;
  int64_t bytes = 0;
};

// "count: bytes [count: bytes]"
struct HeapRow {
  HeapPair inuse;
  HeapPair alloc;
};

std::optional<HeapRow> ReadHeapRow(Cursor& in);

// An allocation of S bytes is sampled with probability 1-exp(-S/R), where R is the mean distance of
// samples in bytes, so each sample counts as the inverse of that. S is the mean of the row. A
// distance of 1 or less needs no correction.
HeapPair Unsample(HeapPair sampled, int64_t distance_bytes);

// The meaning of the rows, from the header above them.
struct HeapLayout {
  bool has_alloc = false;   // whether the bracketed numbers add information
  bool is_sampled = false;  // whether to apply Unsample, with the period of the profile
};

// In all four formats the brackets repeat the first numbers, or are 0, if the allocator keeps no
// totals.
bool HasAlloc(const HeapRow& total);

void SetHeapTypes(HeapLayout layout, int64_t period, Profile* profile);

// Adds one sample, with its mean size as label `bytes`. Returns kInvalidArgument if there are bytes
// but no objects.
absl::Status AddHeapSample(const HeapRow& row, HeapLayout layout,
                           std::span<const uint64_t> addresses, Builder& builder);

}  // namespace flarestack::codec::pprof::legacy
