// SPDX-License-Identifier: Apache-2.0
//
// What the heap formats share: the four numbers of a row, and how sampled numbers become estimates.
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

// An allocation of S bytes is sampled with probability 1-exp(-S/R), R being the mean distance of
// samples in bytes, so each one seen stands for the inverse of that. S is taken as the mean of the
// row. A distance of 1 or less: nothing to undo.
HeapPair Unsample(HeapPair sampled, int64_t distance_bytes);

// What the header says about the rows below it.
struct HeapLayout {
  bool has_alloc = false;   // whether the numbers in brackets tell more than the others
  bool is_sampled = false;  // whether to apply Unsample, with the period of the profile
};

// In all four forms the brackets repeat the first numbers, or are 0, when the allocator keeps no
// totals.
bool HasAlloc(const HeapRow& total);

void SetHeapTypes(HeapLayout layout, int64_t period, Profile* profile);

// One sample, with its mean size as label `bytes`. kInvalidArgument when bytes belong to no object.
absl::Status AddHeapSample(const HeapRow& row, HeapLayout layout,
                           std::span<const uint64_t> addresses, Builder& builder);

}  // namespace flarestack::codec::pprof::legacy
