// SPDX-License-Identifier: Apache-2.0
//
// Programs that a test compiles for itself, in a folder that is gone afterwards.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::elf::testing {

class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string Path(std::string_view name) const;
  // Writes a file and answers its path.
  std::string Write(std::string_view name, std::string_view contents) const;
  std::string Read(std::string_view name) const;

  // Runs a command of the shell in the folder; false when it fails.
  bool Run(const std::string& command) const;

 private:
  std::string path_;
};

bool HasProgram(const std::string& name);

// Sources to compile: a small one in C whose lines are marked, and one in C++ with templates,
// lambdas, exceptions and much inlining, which is split over two files.
std::string_view MarkedSource();
std::string_view LargeSource();
std::string_view LargeSourceOther();

// The line of `source` that ends with "// <marker>", from 1; 0 when there is none.
uint32_t LineOf(std::string_view source, std::string_view marker);

}  // namespace flarestack::elf::testing
