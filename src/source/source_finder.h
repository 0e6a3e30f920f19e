// SPDX-License-Identifier: Apache-2.0
//
// Finds the text of a source file that a profile names. Searches local folders first, then
// debuginfod servers. Files from servers are kept in an LRU cache in memory. Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "source/debuginfod_sources.h"
#include "source/source_file.h"
#include "source/source_folders.h"

namespace flarestack::source {

struct SourceFinderOptions {
  SourceFolderOptions folders;
  std::vector<std::string> debuginfod_urls;
  uint64_t file_bytes_max = uint64_t{8} << 20;
  uint64_t cache_bytes_max = uint64_t{32} << 20;
};

// The name as it appears in a profile. The build id of the program may be empty.
struct SourceName {
  std::string_view path;
  std::string_view build_id;
};

class SourceFinder {
 public:
  explicit SourceFinder(SourceFinderOptions options);

  // The kNotFound message says where Find looked.
  absl::StatusOr<std::shared_ptr<const SourceFile>> Find(const SourceName& name);

 private:
  struct Cached {
    std::string key;
    std::shared_ptr<const SourceFile> file;
  };

  std::shared_ptr<const SourceFile> Keep(std::string key, std::shared_ptr<const SourceFile> file);

  const SourceFinderOptions options_;
  const SourceFolders folders_;
  std::unique_ptr<DebuginfodSources> debuginfod_;  // null: no servers
  base::Mutex mutex_;
  // Local files are not cached, because they may be edited at any time.
  std::list<Cached> cached_ FLARE_GUARDED_BY(mutex_);  // most recently used first
  std::map<std::string, std::list<Cached>::iterator, std::less<>> by_key_ FLARE_GUARDED_BY(mutex_);
  uint64_t cached_bytes_ FLARE_GUARDED_BY(mutex_) = 0;
};

}  // namespace flarestack::source
