// SPDX-License-Identifier: Apache-2.0
//
// A file system on which writes to RocksDB's manifest can be made to fail. The error is not marked
// as retryable, so RocksDB cannot recover and must be reopened.
#pragma once

#include <atomic>
#include <memory>

namespace rocksdb {
class Env;
}

namespace flarestack::store::testing {

// Must outlive the stores that use it. Thread-safe.
class BadLists {
 public:
  BadLists();
  ~BadLists();

  rocksdb::Env* files() const { return env_.get(); }  // for RocksStoreOptions::files
  void set_fails(bool fails) { fails_ = fails; }

 private:
  std::atomic<bool> fails_ = false;
  std::unique_ptr<rocksdb::Env> env_;
};

}  // namespace flarestack::store::testing
