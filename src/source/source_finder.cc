// SPDX-License-Identifier: Apache-2.0
#include "source/source_finder.h"

#include "base/file/file.h"
#include "base/status.h"

namespace flarestack::source {

SourceFinder::SourceFinder(SourceFinderOptions options)
    : options_(std::move(options)), folders_(options_.folders) {
  if (!options_.debuginfod_urls.empty()) {
    debuginfod_ =
        std::make_unique<DebuginfodSources>(options_.debuginfod_urls, options_.file_bytes_max);
  }
}

absl::StatusOr<std::shared_ptr<const SourceFile>> SourceFinder::Find(const SourceName& name) {
  if (std::string path = folders_.Find(name.path); !path.empty()) {
    FLARE_ASSIGN(std::string text, base::ReadFile(path, options_.file_bytes_max));
    return std::make_shared<const SourceFile>(std::move(text), std::move(path));
  }
  if (debuginfod_ == nullptr || name.build_id.empty()) {
    return absl::NotFoundError(options_.folders.folders.empty()
                                   ? "no source directory configured; set --source-path"
                                   : "not found in any --source-path directory");
  }
  std::string key = base::StrCat(name.build_id, " ", name.path);
  {
    const base::MutexLock lock(mutex_);
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      cached_.splice(cached_.begin(), cached_, found->second);
      return found->second->file;
    }
  }
  FLARE_ASSIGN(DebuginfodSources::Found found, debuginfod_->Get(name.build_id, name.path));
  return Keep(std::move(key),
              std::make_shared<const SourceFile>(std::move(found.text), std::move(found.url)));
}

std::shared_ptr<const SourceFile> SourceFinder::Keep(std::string key,
                                                     std::shared_ptr<const SourceFile> file) {
  const base::MutexLock lock(mutex_);
  if (by_key_.contains(key))
    return file;  // another request cached it first
  cached_.push_front({.key = key, .file = file});
  by_key_[std::move(key)] = cached_.begin();
  cached_bytes_ += file->bytes();
  while (cached_bytes_ > options_.cache_bytes_max) {
    cached_bytes_ -= cached_.back().file->bytes();
    by_key_.erase(cached_.back().key);
    cached_.pop_back();
  }
  return file;
}

}  // namespace flarestack::source
