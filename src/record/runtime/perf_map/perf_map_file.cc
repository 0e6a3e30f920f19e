// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/perf_map/perf_map_file.h"

#include <string>

#include "base/file/descriptor.h"
#include "base/status.h"
#include "record/process/proc/process_root.h"
#include "record/runtime/perf_map/code_file_owner.h"

namespace flarestack::record::runtime {
namespace {

constexpr size_t kChunkBytes = size_t{256} << 10;
constexpr size_t kChunksMax = 32;
constexpr uint64_t kFileBytesMax = uint64_t{1} << 30;

}  // namespace

absl::Status PerfMapFile::Refresh() {
  absl::Status status = ReadMore();
  if (!status.ok())
    Reset();
  return status;
}

absl::Status PerfMapFile::ReadMore() {
  FLARE_ASSIGN(const ProcessOwner owner, ReadOwner(pid_));
  FLARE_ASSIGN(const base::Descriptor file,
               agent::OpenInRoot(pid_, base::StrCat("/tmp/perf-", owner.pid_inside, ".map"),
                                 agent::LastLink::kReject));
  FLARE_RETURN_IF_ERROR(CheckCodeFile(file.get(), owner, start_ns_));
  FLARE_ASSIGN(const FileChange change, file_.Look(file.get()));
  if (change == FileChange::kReplaced)
    map_ = elf::PerfMap(limits_);
  for (size_t i = 0; i < kChunksMax && !file_.is_at_end(); ++i) {
    FLARE_ASSIGN(const std::string text, file_.Read(file.get(), kChunkBytes));
    if (text.empty())
      break;  // it was truncated in the meantime
    map_.Append(text);
    file_.Advance(text, text.size());
    if (file_.position() > kFileBytesMax)
      return absl::ResourceExhaustedError("the perf map has more than 1 GiB");
  }
  return absl::OkStatus();
}

void PerfMapFile::Reset() {
  map_ = elf::PerfMap(limits_);
  file_ = {};
}

std::string_view PerfMapFile::Find(uint64_t address) const {
  return has_more() ? std::string_view() : map_.Find(address);
}

}  // namespace flarestack::record::runtime
