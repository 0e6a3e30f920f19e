// SPDX-License-Identifier: Apache-2.0
//
// Flags that filter stacks, shared by reports and convert. Many have pprof's name as an alias.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "query/stacks/filter.h"

namespace flarestack::cli {

// Reports hide interpreter frames unless --internals is given. Files keep them unless
// --hide-internals is given.
enum class FilterUse { kReport, kFile };

class FilterFlags {
 public:
  void Define(CLI::App* app, FilterUse use);

  // True if no filter flag was given.
  bool empty() const;

  // Appends the steps to `filter` and to `steps`, in command-line order. Returns kSuccess, or the
  // exit code after reporting an error.
  int Parse(query::Filter* filter, std::vector<std::string>* steps) const;

 private:
  CLI::App* app_ = nullptr;
};

// One step from a flag or a link. Errors call it `where`.
int AddFilterStep(const std::string& where, std::string step, query::Filter* filter,
                  std::vector<std::string>* steps);

}  // namespace flarestack::cli
