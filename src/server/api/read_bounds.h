// SPDX-License-Identifier: Apache-2.0
//
// The bounds of the reads of one request: a read stops at the deadline of the request or when its
// client disconnects, and returns what it has by then. It takes its memory from the shared budget.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "base/memory/byte_budget.h"
#include "base/mutex.h"
#include "store/read_query.h"

namespace flarestack::server::api {

class ReadBounds {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Stop { kDeadline, kClientGone };

  // `report` returns false when the client has disconnected. A null budget grants everything.
  ReadBounds(Clock::time_point deadline, std::function<bool(const store::ReadProgress&)> report,
             base::ByteBudget* budget)
      : deadline_(deadline), report_(std::move(report)), lease_(budget) {}

  // As `on_progress` and `try_reserve` of a query.
  bool OnProgress(const store::ReadProgress& progress);
  bool TryReserve(uint64_t bytes);

  Clock::time_point deadline() const { return deadline_; }
  // Why a read was stopped, if one was.
  std::optional<Stop> stop() const;

 private:
  const Clock::time_point deadline_;
  const std::function<bool(const store::ReadProgress&)> report_;
  mutable base::Mutex mutex_;
  base::ByteLease lease_ FLARE_GUARDED_BY(mutex_);
  std::optional<Stop> stop_ FLARE_GUARDED_BY(mutex_);
};

// A word for the label of a counter.
std::string_view StopText(ReadBounds::Stop stop);

}  // namespace flarestack::server::api
