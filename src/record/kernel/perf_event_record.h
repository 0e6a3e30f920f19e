// SPDX-License-Identifier: Apache-2.0
//
// Decodes the records in which the kernel reports process events: mappings, names, forks and exits.
// The layout is that of perf_event_open(2) with sample_id_all and the sample type TID | TIME | CPU.
//
//   header (type, misc, size) | fields of the type | pid, tid, time, cpu
//
// The strings of an event are views into the record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// A thread has mapped executable memory. (The kernel does not report unmapping.)
struct MmapEvent {
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint64_t start = 0;
  uint64_t length = 0;
  uint64_t file_offset = 0;
  uint32_t prot = 0;          // PROT_ flags of <sys/mman.h>
  uint32_t flags = 0;         // MAP_ flags
  std::string_view path;      // or "//anon", "[vdso]", "/memfd:name (deleted)" ...
  std::string_view build_id;  // bytes; empty if the file has none or the kernel does not report it
  // Set if the kernel reports no build id.
  uint32_t device_major = 0;
  uint32_t device_minor = 0;
  uint64_t inode = 0;

  friend bool operator==(const MmapEvent&, const MmapEvent&) = default;
};

// A thread has a new name. With `is_exec`, the process runs another program, and its earlier
// mappings are gone.
struct CommEvent {
  uint32_t pid = 0;
  uint32_t tid = 0;
  std::string_view name;
  bool is_exec = false;

  friend bool operator==(const CommEvent&, const CommEvent&) = default;
};

// A new process, or a new thread if pid == ppid.
struct ForkEvent {
  uint32_t pid = 0;
  uint32_t ppid = 0;
  uint32_t tid = 0;
  uint32_t ptid = 0;

  bool is_thread() const { return pid == ppid; }
  friend bool operator==(const ForkEvent&, const ForkEvent&) = default;
};

// The end of one thread. The process ends with its last thread, which need not be the one with tid
// == pid.
struct ExitEvent {
  uint32_t pid = 0;
  uint32_t ppid = 0;
  uint32_t tid = 0;
  uint32_t ptid = 0;

  friend bool operator==(const ExitEvent&, const ExitEvent&) = default;
};

// The ring buffer of a CPU was full: the state of any process may be outdated.
struct LostEvent {
  uint64_t count = 0;

  friend bool operator==(const LostEvent&, const LostEvent&) = default;
};

// Code added to or removed from the running kernel, mostly BPF programs.
struct KernelSymbolEvent {
  uint64_t address = 0;
  uint32_t length = 0;
  std::string_view name;
  bool is_added = false;

  friend bool operator==(const KernelSymbolEvent&, const KernelSymbolEvent&) = default;
};

// A record of a type that was not requested.
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

// Returns the length of the record at the start of `bytes`, from its header. Returns
// kInvalidArgument if there are fewer bytes than that, or too few for a header.
absl::StatusOr<size_t> PerfEventRecordBytes(std::string_view bytes);

// Decodes one complete record. Returns kInvalidArgument, with the type, if it is too short for its
// fields or a string is not terminated.
absl::StatusOr<PerfEvent> DecodePerfEventRecord(std::string_view record);

// Returns the time of the record without decoding its other fields.
absl::StatusOr<uint64_t> PerfEventRecordTime(std::string_view record);

}  // namespace flarestack::record::agent
