// SPDX-License-Identifier: Apache-2.0
//
// Opens the file behind a mapping of another process: through /proc/PID/map_files, which is the
// file itself even when it is deleted or lies in a container, but asks for privileges; else by its
// path, seen from the root of the process and then from ours. A path may meanwhile name another
// file, so what was found by path is compared with what was mapped.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/descriptor.h"
#include "record/process/process_maps.h"

namespace flarestack::record::agent {

enum class FoundBy { kMapFiles, kProcessRoot, kPath };

struct OpenedMapping {
  base::Descriptor file;  // a regular file, for reading
  FoundBy found_by = FoundBy::kMapFiles;

  // A name of the open file, good for as long as it is open: /proc/self/fd/N.
  std::string path() const;
};

struct MappingFileQuery {
  pid_t pid = 0;
  const ProcessMapping& mapping;  // of kind kFile or kMemfd
  // Lower-case hexadecimal, as a MmapEvent told it; empty when unknown. A file with another one is
  // not taken, and one with this is, whatever its device and inode.
  std::string_view build_id;
};

// kInvalidArgument when no file is behind the mapping, kFailedPrecondition when another one stands
// at its path now, kNotFound and kPermissionDenied as the kernel says.
absl::StatusOr<OpenedMapping> OpenMappingFile(const MappingFileQuery& query);

}  // namespace flarestack::record::agent
