// SPDX-License-Identifier: Apache-2.0
//
// From a file on the command line to its symbol table: the flags that say where debug files are,
// the search for them, and the reading in a process of its own.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "symbol/symbol_source.h"
#include "symbol/worker/table_worker.h"

namespace flarestack::cli {

class SymbolFileFlags {
 public:
  void Define(CLI::App* app);

  // The table of the files of this host, or of debuginfod servers where those say less than a
  // symbol table does. Fills `attempts` in any case.
  absl::StatusOr<symbol::MadeTable> FindTable(const symbol::Module& module,
                                              std::vector<symbol::Attempt>* attempts) const;

 private:
  absl::StatusOr<symbol::SymbolFiles> FindHere(const symbol::Module& module,
                                               std::vector<symbol::Attempt>* attempts) const;
  absl::StatusOr<symbol::MadeTable> Download(const symbol::Module& module,
                                             std::vector<symbol::Attempt>* attempts) const;

  std::string debug_file_;
  std::vector<std::string> symbol_paths_;
  std::string debuginfod_;
};

// The ids of a file and its path, as the search for it wants them.
absl::StatusOr<symbol::Module> ModuleOfFile(const std::string& path);

// Prints why a file has no symbols and answers the exit code.
int ReportNoSymbols(const std::string& path, const absl::Status& status);

}  // namespace flarestack::cli
