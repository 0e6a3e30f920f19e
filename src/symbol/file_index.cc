// SPDX-License-Identifier: Apache-2.0
#include "symbol/file_index.h"

#include <filesystem>
#include <system_error>

#include "base/text/text.h"
#include "symbol/file_ids.h"
#include "symbol/module.h"

namespace flarestack::symbol {
namespace {

namespace fs = std::filesystem;

constexpr auto kOptions = fs::directory_options::skip_permission_denied;

}  // namespace

std::vector<IndexedFile> FileIndex::Find(const FileId& id) {
  const base::MutexLock lock(mutex_);
  const std::string key = KeyOf(id);
  const bool is_old = !built_.has_value() || Clock::now() - *built_ >= old_after_;
  if (!files_.contains(key) && is_old)
    Build();
  const auto found = files_.find(key);
  return found == files_.end() ? std::vector<IndexedFile>() : found->second;
}

std::string FileIndex::Extent() {
  const base::MutexLock lock(mutex_);
  if (!built_.has_value())
    Build();
  return base::StrCat(is_cut_ ? "the first " : "", file_count_,
                      file_count_ == 1 ? " file" : " files");
}

void FileIndex::Build() {
  built_ = Clock::now();
  files_.clear();
  file_count_ = 0;
  is_cut_ = false;
  for (const std::string& path : paths_) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      Add(path);
      continue;
    }
    // Directory symlinks are not followed, so there are no cycles.
    auto entry = fs::recursive_directory_iterator(path, kOptions, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      std::error_code ignored;
      if (!entry->is_regular_file(ignored))
        continue;
      if (file_count_ >= files_max_) {
        is_cut_ = true;
        return;
      }
      Add(entry->path().string());
    }
  }
}

void FileIndex::Add(const std::string& path) {
  ++file_count_;
  const auto outline = elf::ElfOutline::Read(path);
  if (!outline.ok())
    return;
  for (const FileId& id : IdsOf(*outline))
    files_[KeyOf(id)].push_back({.path = path, .is_debug_file = outline->is_debug_file()});
}

}  // namespace flarestack::symbol
