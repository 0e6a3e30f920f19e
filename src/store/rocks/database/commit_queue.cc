// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/commit_queue.h"

#include <optional>

#include "base/status.h"

namespace flarestack::store::rocks {
namespace {

constexpr std::chrono::seconds kResumeInterval{1};

// RocksDB stalls writers while compactions are behind. If compactions keep failing, the stall never
// ends, so a write waits at most this long.
constexpr std::chrono::seconds kStallMax{5};
constexpr std::chrono::milliseconds kStallPoll{2};

absl::Status WriteBounded(const Database& database, Changes* changes) {
  rocksdb::WriteOptions options;
  options.no_slowdown = true;
  const auto end = std::chrono::steady_clock::now() + kStallMax;
  rocksdb::Status status = database.Write(options, changes);
  while (status.IsIncomplete() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kStallPoll);
    status = database.Write(options, changes);
  }
  if (status.IsIncomplete())
    return absl::UnavailableError("compaction is behind and writes are stalled; retry later");
  return ToStatus(status);
}

}  // namespace

struct CommitQueue::Entry {
  std::optional<Changes> changes;
  std::function<absl::Status()> task;
  // Guarded by the mutex of the queue, which an annotation here cannot name.
  absl::Status status;
  bool is_done = false;
};

CommitQueue::CommitQueue(const Database& database, Durability durability,
                         std::function<void()> on_broken)
    : database_(database),
      durability_(durability),
      on_broken_(std::move(on_broken)),
      worker_([this] { Work(); }) {}

CommitQueue::~CommitQueue() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  queued_.NotifyOne();
  worker_.join();
}

uint64_t CommitQueue::generation() const {
  const base::MutexLock lock(mutex_);
  return generation_;
}

absl::StatusOr<CommitQueue::Ticket> CommitQueue::Submit(Changes changes, uint64_t generation) {
  FLARE_RETURN_IF_ERROR(changes.status());
  auto ticket = std::make_shared<Entry>();
  ticket->changes.emplace(std::move(changes));
  {
    const base::MutexLock lock(mutex_);
    if (generation != generation_)
      return absl::AbortedError("an earlier write failed; retry");
    queue_.push_back(ticket);
  }
  queued_.NotifyOne();
  return ticket;
}

absl::Status CommitQueue::Wait(const Ticket& ticket) {
  const base::MutexLock lock(mutex_);
  while (!ticket->is_done)
    done_.Wait(mutex_);
  return ticket->status;
}

absl::Status CommitQueue::Run(std::function<absl::Status()> task) {
  return Wait(Enqueue(std::move(task)));
}

CommitQueue::Ticket CommitQueue::Enqueue(std::function<absl::Status()> task) {
  auto ticket = std::make_shared<Entry>();
  ticket->task = std::move(task);
  {
    const base::MutexLock lock(mutex_);
    queue_.push_back(ticket);
  }
  queued_.NotifyOne();
  return ticket;
}

void CommitQueue::Work() {
  base::MutexLock lock(mutex_);
  while (true) {
    while (!stopping_ && queue_.empty())
      queued_.Wait(mutex_);
    if (queue_.empty())
      return;
    std::deque<Ticket> group;
    if (queue_.front()->task) {
      group.push_back(std::move(queue_.front()));
      queue_.pop_front();
    } else {
      while (!queue_.empty() && !queue_.front()->task) {
        group.push_back(std::move(queue_.front()));
        queue_.pop_front();
      }
    }
    lock.Unlock();
    const absl::Status status = group.front()->task ? group.front()->task() : WriteAll(group);
    lock.Lock();
    if (!status.ok() && !group.front()->task) {
      ++generation_;
      for (Ticket& waiting : queue_) {
        if (!waiting->task)
          group.push_back(std::move(waiting));
      }
      std::erase(queue_, nullptr);
    }
    for (const Ticket& ticket : group) {
      ticket->status = status;
      ticket->is_done = true;
      ticket->changes.reset();
    }
    done_.NotifyAll();
  }
}

// RocksDB recovers from some failures automatically, from others after Resume(), and from a few not
// at all, such as a manifest that could not be written. Resume() is harmless when there is nothing
// to recover from.
void CommitQueue::TryResume() {
  const auto now = std::chrono::steady_clock::now();
  if (!(has_failed_ || database_.has_failed_write()) || now - last_resume_ < kResumeInterval)
    return;
  last_resume_ = now;
  const rocksdb::Status resumed = database_.Resume();
  has_failed_ = !resumed.ok();
  is_broken_ = has_failed_ && resumed.severity() >= rocksdb::Status::Severity::kFatalError;
  if (is_broken_)
    on_broken_();
}

absl::Status CommitQueue::WriteAll(std::deque<Ticket>& group) {
  TryResume();
  if (is_broken_) {
    return absl::UnavailableError(
        "storage is recovering from a failed write; no acknowledged data is lost; retry");
  }
  absl::Status status = TryWriteAll(group);
  has_failed_ = has_failed_ || !status.ok();
  return status;
}

absl::Status CommitQueue::TryWriteAll(std::deque<Ticket>& group) {
  for (const Ticket& ticket : group) {
    FLARE_RETURN_IF_ERROR(database_.AwaitWriteBuffers());
    FLARE_RETURN_IF_ERROR(WriteBounded(database_, &*ticket->changes));
  }
  return durability_ == Durability::kFsync ? ToStatus(database_.db().SyncWAL()) : absl::OkStatus();
}

}  // namespace flarestack::store::rocks
