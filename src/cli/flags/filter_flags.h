// SPDX-License-Identifier: Apache-2.0
//
// The flags that filter stacks, which reports and convert share. Many have the word of pprof as a
// second name.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "query/stacks/filter.h"

namespace flarestack::cli {

class FilterFlags {
 public:
  void Define(CLI::App* app);

  // Whether any was given.
  bool empty() const;

  // Appends the steps to `filter` and to `steps`, in the order of the command line. kSuccess, or
  // the exit code after an error was reported.
  int Parse(query::Filter* filter, std::vector<std::string>* steps) const;

 private:
  CLI::App* app_ = nullptr;
};

// One step, from a flag or a link. `where` names it in the error.
int AddFilterStep(const std::string& where, std::string step, query::Filter* filter,
                  std::vector<std::string>* steps);

}  // namespace flarestack::cli
