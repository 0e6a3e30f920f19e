// SPDX-License-Identifier: Apache-2.0
//
// Retention, upkeep and size of a store.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/signal.h"

namespace flarestack::store {

// One time for each signal, ns since the epoch; 0 is none.
class SignalTimes {
 public:
  static SignalTimes All(uint64_t nanos) {
    SignalTimes times;
    times.nanos_.fill(nanos);
    return times;
  }
  uint64_t& operator[](model::Signal signal) { return nanos_[static_cast<size_t>(signal)]; }
  uint64_t operator[](model::Signal signal) const { return nanos_[static_cast<size_t>(signal)]; }

 private:
  std::array<uint64_t, model::kSignals.size()> nanos_ = {};
};

// Limits for the whole process that runs a store; 0 is no limit.
struct StoreCaps {
  uint64_t disk_bytes = 0;
  uint64_t memory_bytes = 0;
};

struct StoreStats {
  uint64_t disk_bytes = 0;
  uint64_t memory_bytes = 0;
  uint64_t series = 0;
  uint64_t stacks = 0;
  uint64_t oldest_nanos = 0;  // of any item that has a time; 0 when there is none
  uint64_t newest_nanos = 0;
  SignalTimes oldest;  // of each signal
  SignalTimes newest;
  uint64_t waiting_bytes = 0;  // awaiting compaction
};

struct HourBytes {
  uint64_t begin_nanos = 0;
  uint64_t bytes = 0;
};

class StoreAdmin {
 public:
  virtual ~StoreAdmin() = default;

  // Drops the data of each signal that ends before its time. Entries shared by signals (names,
  // stacks) follow the signal with the longest retention. Cheap when nothing is old.
  virtual absl::Status DropBefore(const SignalTimes& oldest) = 0;

  // Does work that makes later queries cheaper without changing their results. Call it periodically
  // from a background thread.
  virtual absl::Status Maintain(uint64_t now_nanos) = 0;

  virtual absl::StatusOr<StoreStats> Stats() = 0;

  // Estimates how many bytes on disk dropping each stored hour of all signals frees, oldest first.
  // Flushes buffered data first, so that the sizes cover it and the log is short.
  virtual absl::StatusOr<std::vector<HourBytes>> BytesByHour() = 0;

  // A number that changes whenever a query result may have changed. Cheap to read.
  virtual uint64_t Watermark() = 0;
};

}  // namespace flarestack::store
