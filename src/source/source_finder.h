// SPDX-License-Identifier: Apache-2.0
//
// The text of a source file that a profile names, from the first place that has it: folders of this
// machine, then debuginfod servers. Files are kept in memory, those used last. Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
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

// As a profile names it. The build id of the program may be empty.
struct SourceName {
  std::string_view path;
  std::string_view build_id;
};

class SourceFinder {
 public:
  explicit SourceFinder(SourceFinderOptions options);

  // kNotFound says where it was looked for.
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
  std::mutex mutex_;
  // Guarded by mutex_. Files of this machine are read again each time: somebody may be editing.
  std::list<Cached> cached_;  // used last first
  std::map<std::string, std::list<Cached>::iterator, std::less<>> by_key_;
  uint64_t cached_bytes_ = 0;
};

}  // namespace flarestack::source
