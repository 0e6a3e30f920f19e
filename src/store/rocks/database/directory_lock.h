// SPDX-License-Identifier: Apache-2.0
//
// The lock that RocksDB takes when it opens a directory for writing, for those who only read: what
// they look at must not change meanwhile.
#pragma once

#include <rocksdb/env.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace flarestack::store::rocks {

class DirectoryLock {
 public:
  // kNotFound when the directory holds no data, kFailedPrecondition when it is in use.
  static absl::StatusOr<DirectoryLock> Take(const std::string& directory);
  static absl::StatusOr<DirectoryLock> TakeEvenIfEmpty(const std::string& directory);

  DirectoryLock(DirectoryLock&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(rocksdb::FileLock* lock) : lock_(lock) {}

  rocksdb::FileLock* lock_;
};

// kNotFound with a text for people when the directory holds no data.
absl::Status RequireData(const std::string& directory);

}  // namespace flarestack::store::rocks
