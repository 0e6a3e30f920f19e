// SPDX-License-Identifier: Apache-2.0
//
// A bounded queue of encoded requests between the recording thread and the sending thread:
//
//   Push --> newest, in memory ... older, in files ... oldest --> Front, Remove
//
// New requests go to memory. Once half of it is full, a thread of the spool writes the oldest ones
// to files, one each, so that Push never waits for a disk. When the files reach their limit, the
// oldest file is dropped. If memory fills up anyway, because the disk is slow, broken or missing,
// the oldest request in memory is dropped. Each loss is counted by cause. Files survive a restart
// or a crash, requests in memory do not survive a crash; without a directory, only memory is used.
//
// Thread-safe; Front() and Remove() must be called by one thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"

namespace flarestack::record::exporting {

struct SpoolOptions {
  uint64_t memory_bytes_max = 32 << 20;
  std::string directory;  // created if missing; empty: no files
  uint64_t disk_bytes_max = 1 << 30;
  // Larger requests are rejected, as OTLP requires of a sender.
  uint64_t request_bytes_max = 64 << 20;
};

enum class SpoolDrop : uint8_t {
  kTooLarge,    // larger than request_bytes_max, or than all of memory
  kMemoryFull,  // no directory, or the disk did not keep up
  kDiskFull,    // disk_bytes_max was reached
  kDamaged,     // the file was torn by a crash, or modified
  kClosed,      // at Close without a directory or with a broken disk, or pushed after it
};
inline constexpr size_t kSpoolDropCount = 5;

std::string_view SpoolDropName(SpoolDrop cause);  // "disk_full", for a counter's label

// Whether a request can still be completed before it is sent.
enum class Content : uint8_t { kFinal, kIncomplete };

class Spool {
 public:
  // Overhead per request in addition to its bytes; for files, at least one file system block.
  static constexpr uint64_t kMemoryOverheadBytes = 128;
  static constexpr uint64_t kDiskOverheadBytes = 4096;

  // Picks up files left by an earlier process. Returns kFailedPrecondition if another process uses
  // the directory; passes on file system errors.
  static absl::StatusOr<std::unique_ptr<Spool>> Open(SpoolOptions options);

  // Calls Close if it has not been called.
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  // Never waits for a file. Returns false if the request was dropped, which is counted too.
  bool Push(std::string request, Content content = Content::kFinal);

  struct Entry {
    uint64_t sequence = 0;
    // If read from a file, it does not count towards the memory limit.
    std::shared_ptr<const std::string> request;
    Content content = Content::kFinal;  // kIncomplete for requests of an earlier process
  };
  // Returns the oldest request without removing it, or nullopt if there is none. A corrupt file is
  // removed and counted, and the next one is tried. A file that cannot be read now, for lack of
  // descriptors or memory or because the disk fails, is skipped and stays for the next call. Reads
  // files.
  std::optional<Entry> Front();

  // Removes a request that was sent or finally rejected. It may already have been dropped.
  void Remove(uint64_t sequence);

  // Rejects further requests and writes those in memory to files.
  void Close();

  struct Stats {
    uint64_t requests = 0;
    uint64_t memory_bytes = 0;  // including overhead
    uint64_t disk_bytes = 0;    // including overhead
    uint64_t spilled = 0;       // total requests written to files
    uint64_t disk_errors = 0;   // failed reads and writes; the request stays where it is
    std::string disk_error;     // the most recent one
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
  // Writes the oldest request in memory to a file, without holding the lock. Returns false on
  // failure.
  bool SpillOne() FLARE_REQUIRES(mutex_);
  void DropBeyondLimits() FLARE_REQUIRES(mutex_);  // until both limits are kept
  void Erase(const std::deque<Item>::iterator& item) FLARE_REQUIRES(mutex_);
  // Deletes the files of erased requests without holding the lock, so that no caller waits for the
  // disk.
  void RemoveFiles() FLARE_REQUIRES(mutex_);
  void DropAt(const std::deque<Item>::iterator& item, SpoolDrop cause) FLARE_REQUIRES(mutex_);
  std::deque<Item>::iterator Find(uint64_t sequence) FLARE_REQUIRES(mutex_);
  std::deque<Item>::iterator OldestInMemory() FLARE_REQUIRES(mutex_);

  const SpoolOptions options_;
  int lock_fd_ = -1;  // set before the thread starts

  mutable base::Mutex mutex_;
  base::CondVar pushed_;
  // By sequence, those in files first.
  std::deque<Item> items_ FLARE_GUARDED_BY(mutex_);
  std::vector<uint64_t> erased_files_ FLARE_GUARDED_BY(mutex_);
  uint64_t next_sequence_ FLARE_GUARDED_BY(mutex_) = 0;
  uint64_t pushes_ FLARE_GUARDED_BY(mutex_) = 0;
  bool is_closed_ FLARE_GUARDED_BY(mutex_) = false;
  Stats stats_ FLARE_GUARDED_BY(mutex_);
  std::thread spiller_;
};

}  // namespace flarestack::record::exporting
