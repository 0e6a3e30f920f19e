// SPDX-License-Identifier: Apache-2.0
//
// The files that were recorded as a place where symbols are found: those that are deleted, were
// never in a folder, or are in a container have no other.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"
#include "symbol/module.h"
#include "symbol/symbol_source.h"

namespace flarestack::record::agent {

// Open for as long as somebody has it.
struct RecordedFile {
  std::string key;  // of its module
  std::shared_ptr<const base::Descriptor> file;
};

class RecordedFiles : public symbol::SymbolSource {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Those that are recorded now. Others are kept open for two minutes: the search for their symbols
  // may begin after a program has ended.
  void Update(const std::vector<RecordedFile>& files, Time now);

  std::string name() const override { return "files that were recorded"; }
  absl::StatusOr<symbol::SymbolFiles> Find(const symbol::Module& module) override;

 private:
  struct Entry {
    std::shared_ptr<const base::Descriptor> file;
    Time last_seen;
  };

  std::mutex mutex_;
  absl::flat_hash_map<std::string, Entry> files_;  // by the key of the module
};

}  // namespace flarestack::record::agent
