// SPDX-License-Identifier: Apache-2.0
//
// Keeps a query within its limits while several threads read for it: tracks progress, cancellation
// and memory. Thread-safe.
#pragma once

#include <atomic>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "base/text/text.h"
#include "store/store.h"

namespace flarestack::store::rocks {

class ReadControl {
 public:
  explicit ReadControl(const ProfileQuery& query) : query_(query) {}

  void SetParts(uint64_t count) {
    const base::MutexLock lock(mutex_);
    progress_.parts = count;
  }

  // Call after reading some rows. Returns false if the query was stopped.
  bool OnProgress(uint64_t rows, uint64_t parts_done = 0) {
    if (is_stopped())
      return false;
    const base::MutexLock lock(mutex_);
    progress_.rows += rows;
    progress_.parts_done += parts_done;
    if (query_.on_progress != nullptr && !query_.on_progress(progress_))
      is_stopped_.store(true, std::memory_order_relaxed);
    return !is_stopped();
  }

  // Relaxed: a thread that sees the flag late only reads a little more.
  bool is_stopped() const { return is_stopped_.load(std::memory_order_relaxed); }

  // Adds to the estimated size of the response. Accurate enough to stop a query that would use all
  // memory.
  absl::Status Hold(uint64_t bytes) {
    const base::MutexLock lock(mutex_);
    bytes_ += bytes;
    if (bytes_ < requested_ || query_.try_reserve == nullptr)
      return absl::OkStatus();
    requested_ = bytes_ + kStep;
    if (query_.try_reserve(requested_))
      return absl::OkStatus();
    return absl::ResourceExhaustedError(base::StrCat("the response needs more than ", bytes_ >> 20,
                                                     " MiB of memory, which is not available"));
  }

  // Estimated bytes, in the maps and lists of the reader and again in the batch.
  static constexpr uint64_t kEvent = 32;
  static constexpr uint64_t kSample = 400;
  static constexpr uint64_t kStack = 600;  // including its share of frames and names

 private:
  static constexpr uint64_t kStep = 1 << 20;

  const ProfileQuery& query_;
  std::atomic<bool> is_stopped_ = false;
  base::Mutex mutex_;
  ReadProgress progress_ FLARE_GUARDED_BY(mutex_);
  uint64_t bytes_ FLARE_GUARDED_BY(mutex_) = 0;
  uint64_t requested_ FLARE_GUARDED_BY(mutex_) = 0;
};

// The same for a scan on one thread. `Query` is any query of the store with `try_reserve` and
// `on_progress`.
template <typename Query>
class ScanControl {
 public:
  explicit ScanControl(const Query& query) : query_(query) {}

  // Call after each entry read. Returns false if the query was stopped.
  bool OnProgress() {
    if (++progress_.rows % kRowsPerQuestion == 0 && query_.on_progress != nullptr && !is_stopped_)
      is_stopped_ = !query_.on_progress(progress_);
    return !is_stopped_;
  }
  bool is_stopped() const { return is_stopped_; }

  // `bytes` is the total size of the response so far.
  absl::Status Hold(uint64_t bytes) {
    if (bytes < requested_ || query_.try_reserve == nullptr)
      return absl::OkStatus();
    requested_ = bytes + kStepBytes;
    if (query_.try_reserve(requested_))
      return absl::OkStatus();
    return absl::ResourceExhaustedError(base::StrCat("the response needs more than ", bytes >> 20,
                                                     " MiB of memory, which is not available"));
  }

 private:
  static constexpr uint64_t kRowsPerQuestion = 256;
  static constexpr uint64_t kStepBytes = 64 << 10;

  const Query& query_;
  ReadProgress progress_;
  bool is_stopped_ = false;
  uint64_t requested_ = 0;
};

}  // namespace flarestack::store::rocks
