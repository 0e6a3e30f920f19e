// SPDX-License-Identifier: Apache-2.0
//
// Group commit: changes are written in the order they are submitted, and all waiting changes share
// one fsync.
//
// Changes may depend on earlier ones (a chunk on the numbers that the batch before it assigned). So
// when a write fails, all changes submitted after it fail too. Submit rejects changes that were
// built before the caller learned of the failure, by comparing `generation()`.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "store/rocks/database/database.h"

namespace flarestack::store::rocks {

enum class Durability {
  kFsync,  // survives a power cut
  kOs,     // survives the end of the process
};

class CommitQueue {
 public:
  struct Entry;
  using Ticket = std::shared_ptr<Entry>;

  // The queue calls `on_broken` from one of its threads when RocksDB accepts no more writes until
  // it is reopened. All changes fail from then on.
  CommitQueue(const Database& database, Durability durability, std::function<void()> on_broken);
  ~CommitQueue();  // writes all queued changes

  // Incremented by each failed write.
  uint64_t generation() const;

  // Returns kAborted if a write has failed since `generation` was read.
  absl::StatusOr<Ticket> Submit(Changes changes, uint64_t generation);

  // Returns once the changes are durable, or with the error if they failed.
  absl::Status Wait(const Ticket& ticket);

  // Runs `task` after all changes submitted so far and before all later ones.
  absl::Status Run(std::function<absl::Status()> task);

  // The same without waiting. Nothing may depend on whether it succeeds.
  void Post(std::function<absl::Status()> task) { Enqueue(std::move(task)); }

 private:
  Ticket Enqueue(std::function<absl::Status()> task);
  void Work();
  absl::Status WriteAll(std::deque<Ticket>& group);
  absl::Status TryWriteAll(std::deque<Ticket>& group);
  void TryResume();

  const Database& database_;
  const Durability durability_;
  const std::function<void()> on_broken_;
  mutable base::Mutex mutex_;
  base::CondVar queued_;
  base::CondVar done_;
  std::deque<Ticket> queue_ FLARE_GUARDED_BY(mutex_);
  uint64_t generation_ FLARE_GUARDED_BY(mutex_) = 0;
  bool stopping_ FLARE_GUARDED_BY(mutex_) = false;
  // Used only by the worker.
  bool has_failed_ = false;  // and RocksDB has not resumed since
  bool is_broken_ = false;
  std::chrono::steady_clock::time_point last_resume_;
  std::thread worker_;
};

}  // namespace flarestack::store::rocks
