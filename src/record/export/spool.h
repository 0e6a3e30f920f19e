// SPDX-License-Identifier: Apache-2.0
//
// A bounded queue of encoded requests between whoever records and the thread that sends:
//
//   Push --> newest, in memory ... older, in files ... oldest --> Front, Remove
//
// Memory takes what comes. Once half of it is full a thread of the spool writes the oldest of it to
// files, one each, so that Push never waits for a disk. When the files are full the oldest of them
// goes; when memory is full all the same, because the disk is slow, broken or not there, the oldest
// in memory goes. Each loss is counted by its cause. Files are there again after a restart or a
// crash, which takes what was in memory; without a directory there is memory alone.
//
// Thread-safe; Front() and Remove() are for one thread.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flarestack::record::exporting {

struct SpoolOptions {
  uint64_t memory_bytes_max = 32 << 20;
  std::string directory;  // made where it is not there; empty: no files
  uint64_t disk_bytes_max = 1 << 30;
  uint64_t request_bytes_max = 64 << 20;  // a larger one is not taken, as OTLP demands of a sender
};

enum class SpoolDrop : uint8_t {
  kTooLarge,    // more than request_bytes_max, or than all of memory
  kMemoryFull,  // and no directory, or the disk did not keep up
  kDiskFull,    // disk_bytes_max was reached
  kDamaged,     // a file that was torn by a crash, or changed
  kClosed,      // at the end, with no directory or a broken disk; or pushed later
};
inline constexpr size_t kSpoolDropCount = 5;

std::string_view SpoolDropName(SpoolDrop cause);  // "disk_full", for a counter's label

// Whether a request can be improved before it is sent.
enum class Content : uint8_t { kFinal, kIncomplete };

class Spool {
 public:
  // What a request takes beside its bytes; in files, a block of the file system at least.
  static constexpr uint64_t kMemoryOverheadBytes = 128;
  static constexpr uint64_t kDiskOverheadBytes = 4096;

  // Takes up what files an earlier process left. kFailedPrecondition when another process uses the
  // directory; errors of the file system as they are.
  static absl::StatusOr<std::unique_ptr<Spool>> Open(SpoolOptions options);

  // Closes, if that was not done.
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  // Never waits for a file. False when the request was not taken; that is counted too.
  bool Push(std::string request, Content content = Content::kFinal);

  struct Entry {
    uint64_t sequence = 0;
    std::shared_ptr<const std::string> request;  // one of a file is read for it, beside the limit
    Content content = Content::kFinal;           // kIncomplete for those of an earlier process
  };
  // The oldest, which stays. Nothing when there is none. A file that is damaged is removed and
  // counted, and the next is looked at. One that cannot be read now, for lack of descriptors or
  // memory or because the disk fails, stays for the next call. Reads files.
  std::optional<Entry> Front();

  // Once it was sent, or refused for good. One that went in the meantime may be removed too.
  void Remove(uint64_t sequence);

  // Nothing is taken from here on, and what is in memory goes to files.
  void Close();

  struct Stats {
    uint64_t requests = 0;
    uint64_t memory_bytes = 0;  // with the overhead
    uint64_t disk_bytes = 0;    // with the overhead
    uint64_t spilled = 0;       // requests written to files, all in all
    uint64_t disk_errors = 0;   // writes and reads that failed; the request stays where it is
    std::string disk_error;     // the last of them
    std::array<uint64_t, kSpoolDropCount> dropped = {};  // by SpoolDrop
  };
  Stats stats() const;

 private:
  struct Item {
    uint64_t sequence = 0;
    uint64_t bytes = 0;
    std::shared_ptr<const std::string> request;  // null: in a file
    Content content = Content::kIncomplete;
  };

  explicit Spool(SpoolOptions options);
  absl::Status LockDirectory();
  absl::Status Recover();
  void SpillWhileOpen();
  // Writes the oldest request of memory to a file, outside of the lock. False when that failed.
  bool SpillOne(std::unique_lock<std::mutex>* lock);
  void DropBeyondLimits();  // until both limits hold
  void Erase(const std::deque<Item>::iterator& item);
  // Of what was erased; outside of the lock, so that nobody waits for the disk.
  void RemoveFiles(std::unique_lock<std::mutex>* lock);
  void DropAt(const std::deque<Item>::iterator& item, SpoolDrop cause);
  std::deque<Item>::iterator Find(uint64_t sequence);
  std::deque<Item>::iterator OldestInMemory();

  const SpoolOptions options_;
  int lock_fd_ = -1;

  mutable std::mutex mutex_;
  std::condition_variable pushed_;
  std::deque<Item> items_;  // by sequence; those in files in front; all below guarded by mutex_
  std::vector<uint64_t> erased_files_;
  uint64_t next_sequence_ = 0;
  uint64_t pushes_ = 0;
  bool is_closed_ = false;
  Stats stats_;
  std::thread spiller_;
};

}  // namespace flarestack::record::exporting
