// SPDX-License-Identifier: Apache-2.0
//
// The records in which the kernel tells about processes: what they map, what they are called, when
// they begin and end. As perf_event_open(2) lays them out with sample_id_all and the sample type
// TID | TIME | CPU.
//
//   header (type, misc, size) | fields of the type | pid, tid, time, cpu
//
// The texts of an event are views into the record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// A thread has mapped memory that can be executed. (Of memory that is unmapped nothing is told.)
struct MmapEvent {
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint64_t start = 0;
  uint64_t length = 0;
  uint64_t file_offset = 0;
  uint32_t prot = 0;          // PROT_ of <sys/mman.h>
  uint32_t flags = 0;         // MAP_
  std::string_view path;      // or "//anon", "[vdso]", "/memfd:name (deleted)" ...
  std::string_view build_id;  // bytes; empty when the file has none or the kernel does not tell
  // Known when the kernel tells no build id.
  uint32_t device_major = 0;
  uint32_t device_minor = 0;
  uint64_t inode = 0;

  friend bool operator==(const MmapEvent&, const MmapEvent&) = default;
};

// A thread has a new name. With `is_exec` the process runs another program, and what it had mapped
// before is gone.
struct CommEvent {
  uint32_t pid = 0;
  uint32_t tid = 0;
  std::string_view name;
  bool is_exec = false;

  friend bool operator==(const CommEvent&, const CommEvent&) = default;
};

// A new process, or with pid == ppid a new thread of it.
struct ForkEvent {
  uint32_t pid = 0;
  uint32_t ppid = 0;
  uint32_t tid = 0;
  uint32_t ptid = 0;

  bool is_thread() const { return pid == ppid; }
  friend bool operator==(const ForkEvent&, const ForkEvent&) = default;
};

// The end of one thread. The process ends with its last one, which need not be the one with
// tid == pid.
struct ExitEvent {
  uint32_t pid = 0;
  uint32_t ppid = 0;
  uint32_t tid = 0;
  uint32_t ptid = 0;

  friend bool operator==(const ExitEvent&, const ExitEvent&) = default;
};

// The ring of a CPU was full: what is known of all processes may be old.
struct LostEvent {
  uint64_t count = 0;

  friend bool operator==(const LostEvent&, const LostEvent&) = default;
};

// Code that the kernel got or lost while it runs, mostly BPF programs.
struct KernelSymbolEvent {
  uint64_t address = 0;
  uint32_t length = 0;
  std::string_view name;
  bool is_added = false;

  friend bool operator==(const KernelSymbolEvent&, const KernelSymbolEvent&) = default;
};

// A record of a type that is not asked for.
struct OtherEvent {
  uint32_t type = 0;

  friend bool operator==(const OtherEvent&, const OtherEvent&) = default;
};

struct PerfEvent {
  uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  uint32_t cpu = 0;
  std::variant<OtherEvent, MmapEvent, CommEvent, ForkEvent, ExitEvent, LostEvent, KernelSymbolEvent>
      what;

  friend bool operator==(const PerfEvent&, const PerfEvent&) = default;
};

inline constexpr size_t kPerfEventsHeaderBytes = 8;

// The length of the record that begins here, as its header says. kInvalidArgument when there are
// not as many bytes, or too few for a header.
absl::StatusOr<size_t> PerfEventRecordBytes(std::string_view bytes);

// One whole record, as long as its header says. kInvalidArgument with the type when it is too short
// for its fields or a text has no end.
absl::StatusOr<PerfEvent> DecodePerfEventRecord(std::string_view record);

// When the record was written, without a look at its other fields.
absl::StatusOr<uint64_t> PerfEventRecordTime(std::string_view record);

}  // namespace flarestack::record::agent
