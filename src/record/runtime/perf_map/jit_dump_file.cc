// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/perf_map/jit_dump_file.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/status.h"
#include "record/process/proc/mapping_file.h"
#include "record/runtime/perf_map/code_file_owner.h"

namespace flarestack::record::runtime {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr uint64_t kRefreshBytesMax = uint64_t{32} << 20;

bool HasName(const agent::ProcessMapping& mapping, std::string_view name) {
  const std::string_view path = mapping.path;
  return mapping.kind == agent::MappingKind::kFile && path.substr(path.rfind('/') + 1) == name;
}

}  // namespace

absl::Status JitDumpFile::Look() {
  Reset();
  FLARE_ASSIGN(const ProcessOwner owner, ReadOwner(pid_));
  const std::string name = base::StrCat("jit-", owner.pid_inside, ".dump");
  FLARE_RETURN_IF_ERROR(agent::VisitMaps(pid_, {}, [&](const agent::ProcessMapping& mapping) {
    if (mapping.is_executable && HasName(mapping, name))
      mapping_ = mapping;
    return !mapping_.has_value();
  }));
  if (!mapping_.has_value())
    return absl::NotFoundError(base::StrCat("process ", pid_, " has no jitdump"));
  return absl::OkStatus();
}

absl::Status JitDumpFile::Refresh() {
  absl::Status status = ReadMore();
  if (!status.ok())
    Reset();
  return status;
}

absl::Status JitDumpFile::ReadMore() {
  if (!mapping_.has_value())
    return absl::NotFoundError("no jitdump was found");
  FLARE_ASSIGN(const ProcessOwner owner, ReadOwner(pid_));
  FLARE_ASSIGN(const agent::OpenedMapping opened,
               agent::OpenMappingFile({.pid = pid_, .mapping = *mapping_}));
  const int file = opened.file.get();
  FLARE_RETURN_IF_ERROR(CheckCodeFile(file, owner, start_ns_));
  FLARE_ASSIGN(const FileChange change, file_.Look(file));
  if (change == FileChange::kReplaced)
    dump_ = elf::JitDump(limits_);
  FLARE_RETURN_IF_ERROR(ReadRecords(file));
  // A child that was forked still maps the file of its parent.
  if (dump_.has_header() && static_cast<pid_t>(dump_.process_id()) != owner.pid_inside)
    return absl::FailedPreconditionError(
        base::StrCat("the jitdump is of process ", dump_.process_id()));
  return absl::OkStatus();
}

absl::Status JitDumpFile::ReadRecords(int file) {
  size_t chunk_bytes = kChunkBytes;
  const uint64_t position_max = file_.position() + kRefreshBytesMax;
  has_more_ = false;
  while (!file_.is_at_end() && !dump_.is_closed()) {
    if (file_.position() >= position_max) {
      has_more_ = true;
      break;
    }
    FLARE_ASSIGN(const std::string bytes, file_.Read(file, chunk_bytes));
    FLARE_ASSIGN(const uint64_t consumed, dump_.Append(bytes));
    if (consumed == 0 &&
        (bytes.size() < chunk_bytes || chunk_bytes >= elf::JitDump::kRecordBytesMax))
      break;  // its last record is incomplete
    if (consumed == 0)
      chunk_bytes = std::min(2 * chunk_bytes, elf::JitDump::kRecordBytesMax);
    file_.Advance(bytes, consumed);
  }
  return absl::OkStatus();
}

void JitDumpFile::Reset() {
  dump_ = elf::JitDump(limits_);
  file_ = {};
  mapping_.reset();
  has_more_ = false;
}

const elf::JitCode* JitDumpFile::Find(uint64_t address, uint64_t time_ns) const {
  if (has_more_)
    return nullptr;  // the code may have been replaced since
  return dump_.Find(address, dump_.has_counter_times() ? UINT64_MAX : time_ns);
}

}  // namespace flarestack::record::runtime
