// SPDX-License-Identifier: Apache-2.0
//
// The ELF files below some directories, by their ids. Every file is looked at once, when the first
// question comes; what is put there later is not seen. Thread-safe.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbol/table_format.h"

namespace flarestack::symbol {

struct IndexedFile {
  std::string path;
  bool is_debug_file = false;
};

class FileIndex {
 public:
  // Directories, which are searched to the ground, or files. At most `files_max` are looked at.
  FileIndex(std::vector<std::string> paths, size_t files_max)
      : paths_(std::move(paths)), files_max_(files_max) {}

  // In the order in which they were found; programs and debug files share ids.
  std::vector<IndexedFile> Find(const FileId& id);

  // "412 files", "the first 100000 files"; for people.
  std::string Extent();

 private:
  void Build();
  void Add(const std::string& path);

  const std::vector<std::string> paths_;
  const size_t files_max_;
  std::once_flag once_;
  size_t file_count_ = 0;
  bool is_cut_ = false;
  std::unordered_map<std::string, std::vector<IndexedFile>> files_;  // by KeyOf(id)
};

}  // namespace flarestack::symbol
