// SPDX-License-Identifier: Apache-2.0
//
// Group commit: changes are written in the order they are submitted, and all that wait share one
// sync of the disk.
//
// Changes may rest on earlier ones (a chunk on the numbers that the batch before it gave out). So
// when a write fails, everything submitted on top of it fails too, and Submit refuses what was made
// before its caller knew: `generation()` tells.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
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

  // `on_broken` is called, from a thread of the queue, when RocksDB can take no more writes until
  // it is opened anew; all changes fail from then on.
  CommitQueue(const Database& database, Durability durability, std::function<void()> on_broken);
  ~CommitQueue();  // writes what is queued

  // Grows by one with each failed write.
  uint64_t generation() const;

  // kAborted when a write has failed since `generation` was asked for.
  absl::StatusOr<Ticket> Submit(Changes changes, uint64_t generation);

  // Returns once the changes are durable, or with the reason why they are not.
  absl::Status Wait(const Ticket& ticket);

  // Runs `task` after all changes submitted so far and before all later ones.
  absl::Status Run(std::function<absl::Status()> task);

  // The same without waiting for it; nothing may depend on whether it succeeds.
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
  mutable std::mutex mutex_;
  std::condition_variable queued_;
  std::condition_variable done_;
  std::deque<Ticket> queue_;
  uint64_t generation_ = 0;
  bool stopping_ = false;
  // Of the worker alone.
  bool has_failed_ = false;  // and RocksDB was not asked to go on since
  bool is_broken_ = false;
  std::chrono::steady_clock::time_point last_resume_;
  std::thread worker_;
};

}  // namespace flarestack::store::rocks
