// SPDX-License-Identifier: Apache-2.0
#include "record/export/spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/text/text.h"
#include "record/export/spool_file.h"

namespace flarestack::record::exporting {
namespace {

uint64_t MemoryBytes(uint64_t request_bytes) { return request_bytes + Spool::kMemoryOverheadBytes; }
uint64_t DiskBytes(uint64_t request_bytes) { return request_bytes + Spool::kDiskOverheadBytes; }

// A file that is missing or corrupt will not become readable later.
bool IsDamaged(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsNotFound(status);
}

}  // namespace

std::string_view SpoolDropName(SpoolDrop cause) {
  switch (cause) {
    case SpoolDrop::kTooLarge:
      return "too_large";
    case SpoolDrop::kMemoryFull:
      return "memory_full";
    case SpoolDrop::kDiskFull:
      return "disk_full";
    case SpoolDrop::kDamaged:
      return "damaged";
    case SpoolDrop::kClosed:
      return "closed";
  }
  return "unknown";
}

Spool::Spool(SpoolOptions options) : options_(std::move(options)) {}

absl::StatusOr<std::unique_ptr<Spool>> Spool::Open(SpoolOptions options) {
  std::unique_ptr<Spool> spool(new Spool(std::move(options)));
  if (spool->options_.directory.empty())
    return spool;
  FLARE_RETURN_IF_ERROR(spool->LockDirectory());
  FLARE_RETURN_IF_ERROR(spool->Recover());
  spool->spiller_ = std::thread([raw = spool.get()] { raw->SpillWhileOpen(); });
  return spool;
}

Spool::~Spool() {
  Close();
  if (lock_fd_ >= 0)
    close(lock_fd_);
}

absl::Status Spool::LockDirectory() {
  const std::string& directory = options_.directory;
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(directory).parent_path();
  if (!parent.empty())
    std::filesystem::create_directories(parent, error);
  // Profiles reveal what runs on a machine, so only this user may read them.
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot create the directory ", directory));
  const std::string path = directory + "/lock";
  lock_fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_fd_ < 0)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot write ", path));
  if (flock(lock_fd_, LOCK_EX | LOCK_NB) != 0)
    return absl::FailedPreconditionError(base::StrCat("another process uses ", directory));
  return absl::OkStatus();
}

absl::Status Spool::Recover() {
  std::error_code error;
  std::filesystem::directory_iterator files(options_.directory, error);
  if (error)
    return absl::ErrnoToStatus(error.value(), base::StrCat("cannot read ", options_.directory));
  std::vector<Item> found;
  uint64_t damaged = 0;
  for (const std::filesystem::directory_entry& file : files) {
    const std::string name = file.path().filename().string();
    if (IsTemporarySpoolFileName(name)) {
      unlink(file.path().c_str());
      ++damaged;
      continue;
    }
    const std::optional<uint64_t> sequence = ParseSpoolFileName(name);
    struct stat info = {};
    if (!sequence.has_value() || stat(file.path().c_str(), &info) != 0)
      continue;
    const auto bytes = static_cast<uint64_t>(info.st_size);
    found.push_back({.sequence = *sequence, .bytes = bytes - std::min(bytes, kSpoolHeadBytes)});
  }
  std::sort(found.begin(), found.end(),
            [](const Item& a, const Item& b) { return a.sequence < b.sequence; });
  const base::MutexLock lock(mutex_);
  stats_.dropped[static_cast<size_t>(SpoolDrop::kDamaged)] += damaged;
  for (Item& item : found) {
    stats_.disk_bytes += DiskBytes(item.bytes);
    next_sequence_ = item.sequence + 1;
    items_.push_back(std::move(item));
  }
  DropBeyondLimits();
  RemoveFiles();
  return absl::OkStatus();
}

bool Spool::Push(std::string request, Content content) {
  const uint64_t bytes = request.size();
  const base::MutexLock lock(mutex_);
  std::optional<SpoolDrop> rejected;
  if (is_closed_)
    rejected = SpoolDrop::kClosed;
  else if (bytes > options_.request_bytes_max || MemoryBytes(bytes) > options_.memory_bytes_max)
    rejected = SpoolDrop::kTooLarge;
  if (rejected.has_value()) {
    ++stats_.dropped[static_cast<size_t>(*rejected)];
    return false;
  }
  items_.push_back({.sequence = next_sequence_++,
                    .bytes = bytes,
                    .request = std::make_shared<const std::string>(std::move(request)),
                    .content = content});
  stats_.memory_bytes += MemoryBytes(bytes);
  ++pushes_;
  DropBeyondLimits();
  pushed_.NotifyOne();
  return true;
}

std::optional<Spool::Entry> Spool::Front() {
  base::MutexLock lock(mutex_);
  uint64_t from = 0;  // items before this cannot be read now
  while (true) {
    const auto oldest = std::find_if(items_.begin(), items_.end(),
                                     [&](const Item& item) { return item.sequence >= from; });
    if (oldest == items_.end())
      return std::nullopt;
    const Item item = *oldest;
    if (item.request != nullptr)
      return Entry{item.sequence, item.request, item.content};
    lock.Unlock();
    auto request = ReadSpoolFile(options_.directory, item.sequence, options_.request_bytes_max);
    if (request.ok())
      return Entry{item.sequence, std::make_shared<const std::string>(*std::move(request)),
                   item.content};
    lock.Lock();
    if (IsDamaged(request.status())) {
      // It may have been dropped meanwhile to make room.
      if (const auto at = Find(item.sequence); at != items_.end())
        DropAt(at, SpoolDrop::kDamaged);
      RemoveFiles();
    } else {
      ++stats_.disk_errors;
      stats_.disk_error = std::string(base::Message(request.status()));
      from = item.sequence + 1;
    }
  }
}

void Spool::Remove(uint64_t sequence) {
  const base::MutexLock lock(mutex_);
  if (const auto item = Find(sequence); item != items_.end())
    Erase(item);
  RemoveFiles();
}

void Spool::Close() {
  {
    const base::MutexLock lock(mutex_);
    if (std::exchange(is_closed_, true))
      return;
    pushed_.NotifyOne();
  }
  if (spiller_.joinable())
    spiller_.join();
  const base::MutexLock lock(mutex_);
  while (OldestInMemory() != items_.end() && !options_.directory.empty()) {
    if (!SpillOne())
      break;
  }
  for (auto item = OldestInMemory(); item != items_.end(); item = OldestInMemory())
    DropAt(item, SpoolDrop::kClosed);
}

Spool::Stats Spool::stats() const {
  const base::MutexLock lock(mutex_);
  Stats stats = stats_;
  stats.requests = items_.size();
  return stats;
}

void Spool::SpillWhileOpen() {
  const base::MutexLock lock(mutex_);
  uint64_t seen = 0;
  while (true) {
    while (!is_closed_ && pushes_ == seen)
      pushed_.Wait(mutex_);
    if (is_closed_)
      return;
    seen = pushes_;
    // After an error the next push retries; until then the memory limit applies.
    while (!is_closed_ && stats_.memory_bytes > options_.memory_bytes_max / 2 && SpillOne()) {
    }
  }
}

bool Spool::SpillOne() {
  const auto oldest = OldestInMemory();
  if (oldest == items_.end())
    return false;
  const Item item = *oldest;
  absl::Status status;
  {
    const base::MutexUnlock unlock(mutex_);
    status = WriteSpoolFile(options_.directory, item.sequence, *item.request);
  }
  if (!status.ok()) {
    ++stats_.disk_errors;
    stats_.disk_error = std::string(base::Message(status));
    return false;
  }
  ++stats_.spilled;
  const auto at = Find(item.sequence);
  if (at == items_.end()) {  // sent or dropped during the write
    erased_files_.push_back(item.sequence);
  } else {
    at->request = nullptr;
    stats_.memory_bytes -= MemoryBytes(item.bytes);
    stats_.disk_bytes += DiskBytes(item.bytes);
    DropBeyondLimits();
  }
  RemoveFiles();
  return true;
}

void Spool::RemoveFiles() {
  const std::vector<uint64_t> files = std::exchange(erased_files_, {});
  if (files.empty())
    return;
  const base::MutexUnlock unlock(mutex_);
  for (const uint64_t sequence : files)
    RemoveSpoolFile(options_.directory, sequence);
}

void Spool::DropBeyondLimits() {
  while (stats_.disk_bytes > options_.disk_bytes_max)
    DropAt(items_.begin(), SpoolDrop::kDiskFull);
  while (stats_.memory_bytes > options_.memory_bytes_max)
    DropAt(OldestInMemory(), SpoolDrop::kMemoryFull);
}

void Spool::DropAt(const std::deque<Item>::iterator& item, SpoolDrop cause) {
  ++stats_.dropped[static_cast<size_t>(cause)];
  Erase(item);
}

void Spool::Erase(const std::deque<Item>::iterator& item) {
  if (item->request != nullptr) {
    stats_.memory_bytes -= MemoryBytes(item->bytes);
  } else {
    stats_.disk_bytes -= DiskBytes(item->bytes);
    erased_files_.push_back(item->sequence);
  }
  items_.erase(item);
}

std::deque<Spool::Item>::iterator Spool::Find(uint64_t sequence) {
  const auto at =
      std::lower_bound(items_.begin(), items_.end(), sequence,
                       [](const Item& item, uint64_t wanted) { return item.sequence < wanted; });
  return at != items_.end() && at->sequence == sequence ? at : items_.end();
}

std::deque<Spool::Item>::iterator Spool::OldestInMemory() {
  return std::partition_point(items_.begin(), items_.end(),
                              [](const Item& item) { return item.request == nullptr; });
}

}  // namespace flarestack::record::exporting
