// SPDX-License-Identifier: Apache-2.0
//
// From a file on the command line to its symbol table: defines the flags for debug files, finds the
// files, and reads them in a separate process.
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

  // Builds the table from files of this host, or from debuginfod servers if those files contain
  // less than a symbol table would. Always fills `attempts`.
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

// The ids and path of a file, to search for its symbols.
absl::StatusOr<symbol::Module> ModuleOfFile(const std::string& path);

// Prints why a file has no symbols and returns the exit code.
int ReportNoSymbols(const std::string& path, const absl::Status& status);

}  // namespace flarestack::cli
