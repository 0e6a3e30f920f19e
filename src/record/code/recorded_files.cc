// SPDX-License-Identifier: Apache-2.0
#include "record/code/recorded_files.h"

#include "base/text/text.h"

namespace flarestack::record::agent {
namespace {

constexpr std::chrono::minutes kKept{2};
constexpr size_t kFilesMax = 4096;  // each holds a descriptor open

}  // namespace

void RecordedFiles::Update(const std::vector<RecordedFile>& files, Time now) {
  const base::MutexLock lock(mutex_);
  for (const RecordedFile& file : files)
    files_[file.key] = {.file = file.file, .last_seen = now};
  const bool is_full = files_.size() > kFilesMax;
  absl::erase_if(files_, [&](const auto& entry) {
    return is_full ? entry.second.last_seen < now : entry.second.last_seen + kKept <= now;
  });
}

absl::StatusOr<symbol::SymbolFiles> RecordedFiles::Find(const symbol::Module& module) {
  const base::MutexLock lock(mutex_);
  const auto found = files_.find(module.Key());
  if (found == files_.end())
    return absl::NotFoundError("is none of them");
  symbol::SymbolFiles files = {
      .executable = base::StrCat("/proc/self/fd/", found->second.file->get()),
      .origin = "the file that ran"};
  files.keep = std::const_pointer_cast<base::Descriptor>(found->second.file);
  return files;
}

}  // namespace flarestack::record::agent
