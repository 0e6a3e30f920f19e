// SPDX-License-Identifier: Apache-2.0
#include "record/process/proc/mapping_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <cerrno>
#include <utility>

#include "base/status.h"
#include "elf/build_id.h"
#include "elf/elf_outline.h"

namespace flarestack::record::agent {
namespace {

absl::StatusOr<base::Descriptor> OpenRegular(const std::string& path) {
  // O_NONBLOCK, because opening a pipe could block forever.
  base::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat about = {};
  if (!file.is_open() || fstat(file.get(), &about) != 0)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot open ", path));
  if (!S_ISREG(about.st_mode))
    return absl::InvalidArgumentError(base::StrCat(path, " is not a regular file"));
  return file;
}

std::string PathOf(const base::Descriptor& file) {
  return base::StrCat("/proc/self/fd/", file.get());
}

// Whether stat(2) and /proc/PID/maps report different devices for the same file.
bool HasDevicesOfItsOwn(const base::Descriptor& file) {
  struct statfs about = {};
  return fstatfs(file.get(), &about) == 0 &&
         (about.f_type == OVERLAYFS_SUPER_MAGIC || about.f_type == BTRFS_SUPER_MAGIC);
}

bool IsSameFile(const base::Descriptor& file, const FileIdentity& wanted) {
  struct stat about = {};
  if (fstat(file.get(), &about) != 0 || about.st_ino != wanted.inode)
    return false;
  return (major(about.st_dev) == wanted.device_major &&
          minor(about.st_dev) == wanted.device_minor) ||
         HasDevicesOfItsOwn(file);
}

absl::Status CheckIdentity(const base::Descriptor& file, const MappingFileQuery& query,
                           FoundBy found_by) {
  const std::string& path = query.mapping.path;
  if (!query.build_id.empty()) {
    FLARE_ASSIGN(const elf::ElfOutline outline, elf::ElfOutline::Read(PathOf(file)));
    const std::string found = elf::GnuBuildId(outline.file());
    if (found == query.build_id)
      return absl::OkStatus();
    return absl::FailedPreconditionError(
        base::StrCat(path, " has the build id ", found, ", the mapped file had ", query.build_id));
  }
  if (found_by == FoundBy::kMapFiles || IsSameFile(file, query.mapping.file))
    return absl::OkStatus();
  return absl::FailedPreconditionError(base::StrCat(path, " was replaced since it was mapped"));
}

absl::StatusOr<OpenedMapping> OpenAt(const std::string& path, const MappingFileQuery& query,
                                     FoundBy found_by) {
  FLARE_ASSIGN(base::Descriptor file, OpenRegular(path));
  FLARE_RETURN_IF_ERROR(CheckIdentity(file, query, found_by));
  return OpenedMapping{.file = std::move(file), .found_by = found_by};
}

}  // namespace

std::string OpenedMapping::path() const { return PathOf(file); }

absl::StatusOr<OpenedMapping> OpenMappingFile(const MappingFileQuery& query) {
  const ProcessMapping& mapping = query.mapping;
  if (mapping.kind != MappingKind::kFile && mapping.kind != MappingKind::kMemfd)
    return absl::InvalidArgumentError(
        base::StrCat("the mapping \"", mapping.path, "\" has no file"));
  auto opened =
      OpenAt(fmt::format("/proc/{}/map_files/{:x}-{:x}", query.pid, mapping.start, mapping.end),
             query, FoundBy::kMapFiles);
  if (opened.ok() || mapping.kind == MappingKind::kMemfd || mapping.is_deleted)
    return opened;
  auto in_root = OpenAt(base::StrCat("/proc/", query.pid, "/root", mapping.path), query,
                        FoundBy::kProcessRoot);
  if (in_root.ok())
    return in_root;
  auto by_path = OpenAt(mapping.path, query, FoundBy::kPath);
  if (by_path.ok())
    return by_path;
  // Report the more informative error.
  return absl::IsFailedPrecondition(in_root.status()) ? in_root.status() : by_path.status();
}

}  // namespace flarestack::record::agent
