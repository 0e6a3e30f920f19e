// SPDX-License-Identifier: Apache-2.0
//
// Opens the file behind a mapping of another process. Tries /proc/PID/map_files first, which is the
// file itself even if it is deleted or in a container, but needs privileges; then the path as seen
// from the root of the process, and from our own. A path may name another file by now, so a file
// found by path is compared with the mapped one.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/file/descriptor.h"
#include "record/process/proc/process_maps.h"

namespace flarestack::record::agent {

enum class FoundBy { kMapFiles, kProcessRoot, kPath };

struct OpenedMapping {
  base::Descriptor file;  // a regular file, open for reading
  FoundBy found_by = FoundBy::kMapFiles;

  // A path of the open file, valid as long as it is open: /proc/self/fd/N.
  std::string path() const;
};

struct MappingFileQuery {
  pid_t pid = 0;
  const ProcessMapping& mapping;  // of kind kFile or kMemfd
  // Lower-case hexadecimal, from a MmapEvent; empty if unknown. If set, it alone decides whether a
  // file is accepted, regardless of device and inode.
  std::string_view build_id;
};

// Returns kInvalidArgument if the mapping has no file, kFailedPrecondition if its path names
// another file now, kNotFound and kPermissionDenied as reported by the kernel.
absl::StatusOr<OpenedMapping> OpenMappingFile(const MappingFileQuery& query);

}  // namespace flarestack::record::agent
