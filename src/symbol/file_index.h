// SPDX-License-Identifier: Apache-2.0
//
// Indexes the ELF files below some directories by their ids. The first query scans all files. A
// query that finds nothing scans again if the last scan is old enough. Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "symbol/table/table_format.h"

namespace flarestack::symbol {

struct IndexedFile {
  std::string path;
  bool is_debug_file = false;
};

class FileIndex {
 public:
  // `paths` are directories, which are searched recursively, or files. Scans at most `files_max`
  // files.
  FileIndex(std::vector<std::string> paths, size_t files_max,
            std::chrono::milliseconds old_after = std::chrono::minutes(1))
      : paths_(std::move(paths)), files_max_(files_max), old_after_(old_after) {}

  // In scan order; programs and debug files share ids.
  std::vector<IndexedFile> Find(const FileId& id);

  // "412 files", "the first 100000 files"; for display.
  std::string Extent();

 private:
  using Clock = std::chrono::steady_clock;

  void Build() FLARE_REQUIRES(mutex_);
  void Add(const std::string& path) FLARE_REQUIRES(mutex_);

  const std::vector<std::string> paths_;
  const size_t files_max_;
  const std::chrono::milliseconds old_after_;
  base::Mutex mutex_;
  std::optional<Clock::time_point> built_ FLARE_GUARDED_BY(mutex_);
  size_t file_count_ FLARE_GUARDED_BY(mutex_) = 0;
  bool is_cut_ FLARE_GUARDED_BY(mutex_) = false;
  // By KeyOf(id).
  std::unordered_map<std::string, std::vector<IndexedFile>> files_ FLARE_GUARDED_BY(mutex_);
};

}  // namespace flarestack::symbol
