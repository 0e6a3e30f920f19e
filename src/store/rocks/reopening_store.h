// SPDX-License-Identifier: Apache-2.0
//
// A store that reopens automatically after a failed write has left it unable to accept more writes.
// Its in-memory state may depend on data that was never written. So it repairs nothing: it closes
// the store and opens it from disk, as at process start.
//
//   open ----broken----> open, for reading ----`may_open`----> closed ----> open
//                        writes fail                           calls fail
//
// Running calls finish before the store is closed. Calls that arrive while it is closed fail with
// kUnavailable.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/store.h"

namespace flarestack::store {

struct ReopeningOptions {
  // The store calls `on_broken` when it can no longer accept writes. It may do so repeatedly and
  // from any of its threads, but not after its destruction.
  using OnBroken = std::function<void()>;
  std::function<absl::StatusOr<std::unique_ptr<Store>>(OnBroken on_broken)> open;

  // Called before a broken store is closed. A broken store can still be read; a failed reopening
  // would end that.
  std::function<absl::Status()> may_open;

  // Called after each attempt, including those that `may_open` rejected.
  std::function<void(const absl::Status&)> on_attempt;

  // Back-off between two attempts, which also applies after a successful one. Doubles each time,
  // and resets after a while without attempts.
  std::chrono::milliseconds delay_min{1'000};
  std::chrono::milliseconds delay_max{8'000};
};

// Fails if the first opening fails. All functions must be set.
absl::StatusOr<std::unique_ptr<Store>> OpenReopeningStore(ReopeningOptions options);

}  // namespace flarestack::store
