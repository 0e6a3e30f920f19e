// SPDX-License-Identifier: Apache-2.0
//
// Reads /proc/PID/maps, the memory mappings of a process.
//
//   7f5e8c000000-7f5e8c021000 r-xp 00002000 fd:01 1835013    /usr/lib/libx.so (deleted)
//
// A path is relative to the root of the process, with newlines written as \012. Backslashes are not
// escaped, so a name that contains a literal "\012" looks like one with a newline; likewise a name
// that really ends in " (deleted)". Code that opens the file compares its identity, see
// mapping_file.h.
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
  kMemfd,        // a file that never had a path; `path` is its given name
  kAnonymous,    // without a name
  kNamedMemory,  // [anon:NAME] and [anon_shmem:NAME]; path is NAME
  kVdso,
  kOther,  // [heap], [stack], [vvar], [vsyscall], anon_inode:... ; path is as written
};

// Identifies a file independently of its name, as reported by the kernel's maps. File systems
// composed of several others (overlayfs, btrfs) report another device to stat(2).
struct FileIdentity {
  uint32_t device_major = 0;
  uint32_t device_minor = 0;
  uint64_t inode = 0;

  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};

struct ProcessMapping {
  uint64_t start = 0;
  uint64_t end = 0;  // exclusive; above start
  uint64_t file_offset = 0;
  FileIdentity file;  // zeros for memory without a file
  MappingKind kind = MappingKind::kAnonymous;
  bool is_readable = false;
  bool is_writable = false;
  bool is_executable = false;
  bool is_shared = false;
  bool is_deleted = false;  // the file has no name any more; `path` is its last one
  std::string path;

  friend bool operator==(const ProcessMapping&, const ProcessMapping&) = default;
};

// Sets `kind`, `path` and `is_deleted` from the last column of a line, or from a kernel record.
void ReadMappingPath(std::string_view written, ProcessMapping* mapping);

// Parses one line without its newline. Returns nullopt if it is not in the kernel's format.
std::optional<ProcessMapping> ParseMapsLine(std::string_view line);

struct MapsLimits {
  size_t mappings_max = 1 << 16;
  uint64_t bytes_max = uint64_t{64} << 20;  // of the file; some processes have a million lines
};

enum class MapsChoice { kAll, kExecutable };

// Returns mappings in order of address, as the kernel writes them. Returns kInvalidArgument with
// the number of a malformed line, kResourceExhausted above a limit.
absl::StatusOr<std::vector<ProcessMapping>> ParseMaps(std::string_view text, MapsChoice choice,
                                                      const MapsLimits& limits = {});

// Reads the mappings of a running process, in chunks. If the first thread has ended, uses another
// thread. Empty for kernel threads. Returns kNotFound if the process is gone.
absl::StatusOr<std::vector<ProcessMapping>> ReadMaps(pid_t pid, MapsChoice choice,
                                                     const MapsLimits& limits = {});

// Visits all lines without storing any. The visitor returns false to stop.
absl::Status VisitMaps(pid_t pid, const MapsLimits& limits,
                       absl::FunctionRef<bool(const ProcessMapping&)> visit);

}  // namespace flarestack::record::agent
