// SPDX-License-Identifier: Apache-2.0
//
// A place that may have the files of a module: uploads, this host, or a debuginfod server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "symbol/module.h"

namespace flarestack::symbol {

// Paths of files; empty if there is none. At least one of the first two is set.
struct SymbolFiles {
  std::string executable;
  std::string debug_file;
  std::string supplementary;   // made by dwz
  std::string origin;          // for display: "uploaded", "/usr/lib/debug/..."
  std::shared_ptr<void> keep;  // removes temporary files when the last reference is released
};

class SymbolSource {
 public:
  virtual ~SymbolSource() = default;

  virtual std::string name() const = 0;

  // Returns kNotFound with a readable reason if this source has nothing; other errors may be
  // temporary. The files belong to the module: their ids were compared. May take long. Thread-safe.
  virtual absl::StatusOr<SymbolFiles> Find(const Module& module) = 0;

  // Called at shutdown. Ends current and future Find calls that wait for others with kCancelled.
  virtual void Cancel() {}
};

// One attempt to find a module, and its outcome.
struct Attempt {
  std::string source;
  std::string outcome;
  bool is_found = false;
};

}  // namespace flarestack::symbol
