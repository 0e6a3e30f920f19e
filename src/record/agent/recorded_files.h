// SPDX-License-Identifier: Apache-2.0
//
// The files that were recorded as a place where symbols are found: those that are deleted, were
// never in a folder, or are in a container that is gone have no other.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "symbol/module.h"
#include "symbol/source.h"

namespace flarestack::record::agent {

class RecordedFiles : public symbol::SymbolSource {
 public:
  // As Recorder::OpenFiles gives them; whoever has them open must outlive this object.
  explicit RecordedFiles(std::vector<std::pair<std::string, std::string>> paths)
      : paths_(paths.begin(), paths.end()) {}

  std::string name() const override { return "files that were recorded"; }

  absl::StatusOr<symbol::SymbolFiles> Find(const symbol::Module& module) override {
    const auto found = paths_.find(module.Key());
    if (found == paths_.end())
      return absl::NotFoundError("is none of them");
    return symbol::SymbolFiles{.executable = found->second, .origin = "the file that ran"};
  }

 private:
  const std::map<std::string, std::string> paths_;  // by the key of the module
};

}  // namespace flarestack::record::agent
