// SPDX-License-Identifier: Apache-2.0
//
// A place where the files of a module may be found: those that were uploaded, those of this host,
// a debuginfod server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "symbol/module.h"

namespace flarestack::symbol {

// Paths of files; empty where there is none. One of the first two is there.
struct SymbolFiles {
  std::string executable;
  std::string debug_file;
  std::string supplementary;   // of dwz
  std::string origin;          // where they are from, for people: "uploaded", "/usr/lib/debug/..."
  std::shared_ptr<void> keep;  // temporary files are removed when the last holder lets go
};

class SymbolSource {
 public:
  virtual ~SymbolSource() = default;

  virtual std::string name() const = 0;

  // kNotFound with the reason in words where this place has nothing; other errors may pass. Files
  // are those of the module: the ids were compared. May take long. Thread-safe.
  virtual absl::StatusOr<SymbolFiles> Find(const Module& module) = 0;

  // Ends a Find that waits for others, now and from now on, with kCancelled: the program stops.
  virtual void Cancel() {}
};

// What was tried for a module, in order, and how it ended.
struct Attempt {
  std::string source;
  std::string outcome;
  bool is_found = false;
};

}  // namespace flarestack::symbol
