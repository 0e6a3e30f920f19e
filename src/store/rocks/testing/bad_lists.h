// SPDX-License-Identifier: Apache-2.0
//
// Files among which the lists that RocksDB keeps of its files cannot be written at times. Nothing
// says then that another try might work, so RocksDB does not get over it: it must be opened anew.
#pragma once

#include <atomic>
#include <memory>

namespace rocksdb {
class Env;
}

namespace flarestack::store::testing {

// Must outlive the stores on it. Thread-safe.
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
