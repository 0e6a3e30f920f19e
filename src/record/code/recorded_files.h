// SPDX-License-Identifier: Apache-2.0
//
// Makes the recorded files available as a source of symbols. Files that are deleted, that never had
// a path, or that are in a container have no other source.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "base/file/descriptor.h"
#include "base/mutex.h"
#include "symbol/module.h"
#include "symbol/symbol_source.h"

namespace flarestack::record::agent {

// Stays open for as long as a copy exists.
struct RecordedFile {
  std::string key;  // of its module
  std::shared_ptr<const base::Descriptor> file;
};

class RecordedFiles : public symbol::SymbolSource {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Sets the files that are being recorded. Others stay open for two minutes: the search for their
  // symbols may begin after a program has ended.
  void Update(const std::vector<RecordedFile>& files, Time now);

  std::string name() const override { return "files that were recorded"; }
  absl::StatusOr<symbol::SymbolFiles> Find(const symbol::Module& module) override;

 private:
  struct Entry {
    std::shared_ptr<const base::Descriptor> file;
    Time last_seen;
  };

  base::Mutex mutex_;
  // By the key of the module.
  absl::flat_hash_map<std::string, Entry> files_ FLARE_GUARDED_BY(mutex_);
};

}  // namespace flarestack::record::agent
