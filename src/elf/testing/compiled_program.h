// SPDX-License-Identifier: Apache-2.0
//
// Programs that a test compiles, in a temporary folder.
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
  // Writes a file and returns its path.
  std::string Write(std::string_view name, std::string_view contents) const;
  std::string Read(std::string_view name) const;

  // Runs a shell command in the folder. Returns false if it fails.
  bool Run(const std::string& command) const;

 private:
  std::string path_;
};

bool HasProgram(const std::string& name);

// Sources to compile: a small one in C with marked lines, and one in C++ with templates, lambdas,
// exceptions and much inlining, split over two files.
std::string_view MarkedSource();
std::string_view LargeSource();
std::string_view LargeSourceOther();

// Returns the line of `source` that ends with "// <marker>", starting at 1; 0 if there is none.
uint32_t LineOf(std::string_view source, std::string_view marker);

}  // namespace flarestack::elf::testing
