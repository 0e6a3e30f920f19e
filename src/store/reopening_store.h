// SPDX-License-Identifier: Apache-2.0
//
// A store that opens itself anew when a failed write has left it unable to take any more. What it
// knows in memory may rest on what was never written; so nothing of it is mended, but all of it is
// closed, and opened from what is on the disk, as at the start of the process.
//
//   open ----broken----> open, for reading ----`may_open`----> closed ----> open
//                        writes fail                           calls fail
//
// Calls that run when the store is closed end first: nothing is taken away from under them. What
// comes meanwhile is answered with kUnavailable.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/store.h"

namespace flarestack::store {

struct ReopeningOptions {
  // The store calls `on_broken` when it can take no more for good, once or again, from any of its
  // threads, and not after its end.
  using OnBroken = std::function<void()>;
  std::function<absl::StatusOr<std::unique_ptr<Store>>(OnBroken on_broken)> open;

  // Asked before a broken store is closed: it can still be read, which an opening that fails would
  // put an end to.
  std::function<absl::Status()> may_open;

  // Told of each attempt, also of those that `may_open` has ended.
  std::function<void(const absl::Status&)> on_attempt;

  // Between two attempts, and so between a store that was opened anew and the next time. Twice as
  // long each time, and from the beginning after a while without any.
  std::chrono::milliseconds delay_min{1'000};
  std::chrono::milliseconds delay_max{8'000};
};

// Fails when the first opening does. All functions must be set.
absl::StatusOr<std::unique_ptr<Store>> OpenReopeningStore(ReopeningOptions options);

}  // namespace flarestack::store
