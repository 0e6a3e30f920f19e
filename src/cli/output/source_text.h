// SPDX-License-Identifier: Apache-2.0
//
// Source lines for reports on a terminal, and the flags that locate the files.
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

  // Lines count from 1. Empty if there is no such file or line.
  std::string Line(const source::SourceName& name, int64_t line);

  // See source::FunctionAround. Returns `known` if the file is not found.
  source::LineRange FunctionAround(const source::SourceName& name, source::LineRange known,
                                   int64_t start);

 private:
  // Returns nullptr if the file is not found.
  const source::SourceFile* FileOf(const source::SourceName& name);

  std::vector<std::string> folders_;
  std::string debuginfod_;
  std::unique_ptr<source::SourceFinder> finder_;  // created for the first file
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const source::SourceFile>> files_;
};

}  // namespace flarestack::cli
