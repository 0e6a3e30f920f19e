// SPDX-License-Identifier: Apache-2.0
//
// A file system on which writes to some files of RocksDB can be made to fail.
#pragma once

#include <atomic>
#include <memory>

namespace rocksdb {
class Env;
}

namespace flarestack::store::testing {

enum class FailingKind {
  // Not marked as retryable: RocksDB cannot recover and must be reopened.
  kManifest,
  // No space: RocksDB recovers when there is space again.
  kLog,
};

// Must outlive the stores that use it. Thread-safe.
class FailingFiles {
 public:
  explicit FailingFiles(FailingKind kind = FailingKind::kManifest);
  ~FailingFiles();

  rocksdb::Env* files() const { return env_.get(); }  // for RocksStoreOptions::files
  void set_fails(bool fails) { fails_ = fails; }

 private:
  std::atomic<bool> fails_ = false;
  std::unique_ptr<rocksdb::Env> env_;
};

}  // namespace flarestack::store::testing
