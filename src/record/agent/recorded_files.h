// SPDX-License-Identifier: Apache-2.0
//
// The files that were recorded as a place where symbols are found: those that are deleted, were
// never in a folder, or are in a container have no other.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"
#include "symbol/module.h"
#include "symbol/source.h"

namespace flarestack::record::agent {

// Open for as long as somebody has it.
struct RecordedFile {
  std::string key;  // of its module
  std::shared_ptr<const base::Descriptor> file;
};

class RecordedFiles : public symbol::SymbolSource {
 public:
  // Those that are recorded now. Others that were told are kept for a while: a search may take its
  // time, and begin after a program has ended.
  void Tell(const std::vector<RecordedFile>& files);

  std::string name() const override { return "files that were recorded"; }
  absl::StatusOr<symbol::SymbolFiles> Find(const symbol::Module& module) override;

 private:
  struct Entry {
    std::shared_ptr<const base::Descriptor> file;
    uint64_t last_round = 0;
  };

  std::mutex mutex_;
  absl::flat_hash_map<std::string, Entry> files_;  // by the key of the module
  uint64_t round_ = 0;
};

}  // namespace flarestack::record::agent
