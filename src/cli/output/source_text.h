// SPDX-License-Identifier: Apache-2.0
//
// Lines of source files as reports on a terminal show them, and the flags that say where the files
// are.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/function_lines.h"
#include "source/source_finder.h"

namespace flarestack::cli {

class SourceText {
 public:
  void DefineFlags(CLI::App* app);

  // Counted from 1. Empty when there is no such file or line.
  std::string Line(const source::SourceName& name, int64_t line);

  // See source::FunctionAround. Nothing is known of a file that is not found: then it is `known`.
  source::LineRange FunctionAround(const source::SourceName& name, source::LineRange known,
                                   int64_t start);

 private:
  // Null when it is not found.
  const source::SourceFile* FileOf(const source::SourceName& name);

  std::vector<std::string> folders_;
  std::string debuginfod_;
  std::unique_ptr<source::SourceFinder> finder_;  // made for the first file
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const source::SourceFile>> files_;
};

}  // namespace flarestack::cli
