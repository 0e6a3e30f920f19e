// SPDX-License-Identifier: Apache-2.0
//
// What the queries of all signals have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace flarestack::store {

struct TimeRange {  // ns since the epoch, end excluded
  uint64_t from = 0;
  uint64_t to = UINT64_MAX;
};

// Progress of a read.
struct ReadProgress {
  uint64_t parts = 0;  // series, or parts of them
  uint64_t parts_done = 0;
  uint64_t rows = 0;  // events examined one by one
};

// If set, a read calls it periodically to ask whether the response may use `bytes`. On false the
// query fails with kResourceExhausted.
using TryReserve = std::function<bool(uint64_t bytes)>;

// If set, a read calls it periodically with the progress, never by two threads at once. On false
// the query stops and returns the data read so far.
using OnProgress = std::function<bool(const ReadProgress&)>;

// Which items come first, and so which ones a limit keeps. Items with the same time have a stable
// order that the store defines.
enum class TimeOrder : uint8_t { kOldestFirst, kNewestFirst };

// A trace, or one span of it.
struct SpanRef {
  std::string trace_id;  // 16 bytes
  std::string span_id;   // 8 bytes; empty: the whole trace
  friend auto operator<=>(const SpanRef&, const SpanRef&) = default;
};

}  // namespace flarestack::store
