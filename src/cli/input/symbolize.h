// SPDX-License-Identifier: Apache-2.0
//
// Names for what a file has addresses of alone, from files of this machine and from debuginfod
// servers.
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

// $XDG_CACHE_HOME/flarestack/symbols: a program is asked about again and again. Empty when there is
// no such place.
std::string SymbolCacheDirectory();

class SymbolizeFlags {
 public:
  // Off unless --symbolize is given, or on unless --no-symbolize is.
  enum class Default { kOff, kOn };
  void Define(CLI::App* app, Default by_default = Default::kOff);

  bool is_on() const { return is_on_; }

  // Waits until all that can be found is. What cannot is a warning for each module. `last` is asked
  // when the files of this host do not help; it may be null.
  void Apply(model::Batch* batch, Progress* progress, base::Warnings* warnings,
             std::unique_ptr<symbol::SymbolSource> last = nullptr) const;

 private:
  bool is_on_ = false;
  std::vector<std::string> symbol_paths_;
  std::string debuginfod_;
};

}  // namespace flarestack::cli
