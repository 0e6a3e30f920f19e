// SPDX-License-Identifier: Apache-2.0
//
// Symbolizes addresses in a file, from files on this machine and from debuginfod servers.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/warnings.h"
#include "cli/terminal/progress.h"
#include "model/batch.h"
#include "symbol/symbol_source.h"

namespace flarestack::cli {

// $XDG_CACHE_HOME/flarestack/symbols: the same program is symbolized again and again. Empty if
// there is no cache directory.
std::string SymbolCacheDirectory();

class SymbolizeFlags {
 public:
  // Off unless --symbolize is given, or on unless --no-symbolize is.
  enum class Default { kOff, kOn };
  void Define(CLI::App* app, Default by_default = Default::kOff);

  bool is_on() const { return is_on_; }

  // Waits until all available symbols are found. Adds a warning for each module without symbols.
  // `last` is tried if the files of this host do not help; it may be null.
  void Apply(model::Batch* batch, Progress* progress, base::Warnings* warnings,
             std::unique_ptr<symbol::SymbolSource> last = nullptr) const;

 private:
  bool is_on_ = false;
  std::vector<std::string> symbol_paths_;
  std::string debuginfod_;
};

}  // namespace flarestack::cli
