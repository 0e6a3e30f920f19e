// SPDX-License-Identifier: Apache-2.0
#include "record/agent/recorded_files.h"

#include "base/text.h"

namespace flarestack::record::agent {
namespace {

constexpr uint64_t kRoundsKept = 12;
constexpr size_t kFilesMax = 4096;  // each has a descriptor

}  // namespace

void RecordedFiles::Tell(const std::vector<RecordedFile>& files) {
  const std::lock_guard lock(mutex_);
  ++round_;
  for (const RecordedFile& file : files)
    files_[file.key] = {.file = file.file, .last_round = round_};
  const uint64_t rounds = files_.size() > kFilesMax ? 1 : kRoundsKept;
  absl::erase_if(files_,
                 [&](const auto& entry) { return entry.second.last_round + rounds <= round_; });
}

absl::StatusOr<symbol::SymbolFiles> RecordedFiles::Find(const symbol::Module& module) {
  const std::lock_guard lock(mutex_);
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
