// SPDX-License-Identifier: Apache-2.0
//
// /proc/PID/maps: what a process has in its memory.
//
//   7f5e8c000000-7f5e8c021000 r-xp 00002000 fd:01 1835013    /usr/lib/libx.so (deleted)
//
// A path is written as it is seen from the root of the process, with newlines as \012. A backslash
// is written as it stands, so a name that truly holds "\012" cannot be told from one with a
// newline; nor can one that truly ends in " (deleted)". Whoever opens the file compares its
// identity, see mapping_file.h.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace flarestack::record::agent {

enum class MappingKind : uint8_t {
  kFile,
  kMemfd,        // a file that was never in a folder; path is the name given to it
  kAnonymous,    // without any name
  kNamedMemory,  // [anon:NAME] and [anon_shmem:NAME]; path is NAME
  kVdso,
  kOther,  // [heap], [stack], [vvar], [vsyscall], anon_inode:... ; path is as written
};

// Which file it is, whatever it is called. As the kernel's maps tell it: file systems made of
// several others (overlayfs, btrfs) tell stat(2) another device.
struct FileIdentity {
  uint32_t device_major = 0;
  uint32_t device_minor = 0;
  uint64_t inode = 0;

  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};

struct ProcessMapping {
  uint64_t start = 0;
  uint64_t end = 0;  // excluded, above start
  uint64_t file_offset = 0;
  FileIdentity file;  // zeros for memory without a file
  MappingKind kind = MappingKind::kAnonymous;
  bool is_readable = false;
  bool is_writable = false;
  bool is_executable = false;
  bool is_shared = false;
  bool is_deleted = false;  // the file has no name any more; `path` is the last one
  std::string path;

  friend bool operator==(const ProcessMapping&, const ProcessMapping&) = default;
};

// What the last column, or a record of the kernel, says about the file: `kind`, `path` and
// `is_deleted`.
void ReadMappingPath(std::string_view written, ProcessMapping* mapping);

// One line without its end. Nothing when it is none of the kernel's.
std::optional<ProcessMapping> ParseMapsLine(std::string_view line);

struct MapsLimits {
  size_t mappings_max = 1 << 16;
  uint64_t bytes_max = uint64_t{64} << 20;  // of the file; there are processes with a million lines
};

enum class MapsChoice { kAll, kExecutable };

// In order of address, as the kernel writes them. kInvalidArgument with the number of a line that
// makes no sense, kResourceExhausted above a limit.
absl::StatusOr<std::vector<ProcessMapping>> ParseMaps(std::string_view text, MapsChoice choice,
                                                      const MapsLimits& limits = {});

// Of a running process, read piece by piece. A process whose first thread has ended is read through
// another thread. Empty for kernel threads. kNotFound when the process is gone.
absl::StatusOr<std::vector<ProcessMapping>> ReadMaps(pid_t pid, MapsChoice choice,
                                                     const MapsLimits& limits = {});

// The same for all lines, without keeping any. The visitor returns false to stop.
absl::Status VisitMaps(pid_t pid, const MapsLimits& limits,
                       absl::FunctionRef<bool(const ProcessMapping&)> visit);

}  // namespace flarestack::record::agent
