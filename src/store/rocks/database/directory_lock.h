// SPDX-License-Identifier: Apache-2.0
//
// The lock that RocksDB acquires when it opens a directory for writing. Tools that only read hold
// it too, so that the data does not change under them.
#pragma once

#include <rocksdb/env.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace flarestack::store::rocks {

class DirectoryLock {
 public:
  // Take returns kNotFound if the directory has no data. Both return kFailedPrecondition if it is
  // in use.
  static absl::StatusOr<DirectoryLock> Take(const std::string& directory);
  static absl::StatusOr<DirectoryLock> TakeEvenIfEmpty(const std::string& directory);

  DirectoryLock(DirectoryLock&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(rocksdb::FileLock* lock) : lock_(lock) {}

  rocksdb::FileLock* lock_;
};

// Returns kNotFound with a readable message if the directory has no data.
absl::Status RequireData(const std::string& directory);

}  // namespace flarestack::store::rocks
