// SPDX-License-Identifier: Apache-2.0
//
// Tracks the processes of this host and their executable mappings, from kernel events and /proc.
// Publishes them to BPF, so that it can unwind their stacks.
//
// Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "record/bpf/layout.h"
#include "record/code/code_files.h"
#include "record/kernel/perf_event_record.h"
#include "record/kernel/slab.h"
#include "record/process/proc/process_maps.h"

namespace flarestack::record::agent {

using Time = std::chrono::steady_clock::time_point;

// Returns the mapping that contains an address, or null. `mappings` are sorted.
const bpf::code_mapping* FindMapping(std::span<const bpf::code_mapping> mappings, uint64_t address);

// The program that a process ran before an exec.
struct FormerProgram {
  uint64_t until_ns = 0;  // CLOCK_MONOTONIC
  Time replaced{};
  uint64_t generation = 0;
  std::string command;
  std::string executable;
  std::vector<bpf::code_mapping> mappings;
};

// Values of the semantic conventions: process.runtime.name and .version.
struct RuntimeIdentity {
  std::string name;     // "cpython", "OpenJDK Runtime Environment", "nodejs"
  std::string version;  // "3.11.2"; empty if unknown
};

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;       // as reported by the kernel; 0: unknown
  uint64_t start_ns = 0;  // since boot, truncated to clock ticks; 0 if it exited before it was read
  std::string command;    // the kernel's comm
  std::string executable;                   // the first file it mapped as code
  std::vector<bpf::code_mapping> mappings;  // sorted, without overlaps
  bpf::thread_context_place context = {};
  bool has_runtime = false;  // published by runtime::Runtimes
  RuntimeIdentity runtime;   // empty while unknown
  uint64_t generation = 0;   // changes with each exec
  // Programs of the last few seconds, oldest first: traces are read some time after they were
  // taken.
  std::vector<FormerProgram> formers;

  // Returns the mapping that contains an address, or null.
  const bpf::code_mapping* FindMapping(uint64_t address) const {
    return agent::FindMapping(mappings, address);
  }
  // Returns the program it ran at that time; null if that is the current one.
  const FormerProgram* FormerAt(uint64_t time_ns) const;
};

class Processes {
 public:
  // Both must outlive this object; `kernel` may be null.
  Processes(KernelSide* kernel, CodeFiles* files);
  ~Processes();

  // Reads all running processes.
  void ScanAll(Time now);

  void Apply(const PerfEvent& event, Time now);

  // Reads /proc for a process that is unknown, or that runs code outside its known mappings. Backs
  // off if called repeatedly.
  void Learn(pid_t pid, Time now);

  // Finds where the threads of a process publish their context. Call if its process context
  // announces thread contexts. Backs off if called repeatedly.
  void LookForThreadContext(pid_t pid, Time now);

  // Says that the language runtime of a process is published.
  void NoteRuntime(pid_t pid, const RuntimeIdentity& identity);

  // Returns null if the process is unknown, or started at another time.
  Process* Find(pid_t pid, uint64_t start_time_ns);
  // Ignores the start time.
  Process* FindAny(pid_t pid);

  // Publishes all changes to BPF.
  void Publish(Time now);

  // Finds processes that started or exited while events were lost.
  void CheckAll(Time now);

  // Drops processes that exited a while ago: their last traces have been read.
  void Sweep(Time now);

  size_t count() const { return processes_.size(); }
  // Number of mappings of known processes that do not fit into the BPF maps. Stacks through their
  // code are unwound in user space.
  uint64_t mappings_left_out() const { return mappings_left_out_; }

 private:
  struct Entry {
    Process process;
    bool is_changed = false;
    bool is_read = false;  // from /proc
    uint32_t published_base = 0;
    uint32_t published_count = 0;
    uint64_t left_out_count = 0;
    Time ended{};  // Time{}: still running
    Time next_learn{};
    std::chrono::milliseconds learn_pause{0};
    Time next_context{};
    std::chrono::milliseconds context_pause{0};
  };

  void ApplyMmap(const MmapEvent& event, Time now);
  void ApplyComm(const CommEvent& event, uint64_t time_ns, Time now);
  void ApplyFork(const ForkEvent& event, Time now);
  void ApplyExit(const ExitEvent& event, Time now);

  Entry& EntryOf(pid_t pid);
  void AddMapping(Entry* entry, const ProcessMapping& mapping, std::string_view build_id, Time now);
  uint32_t SlotOf(pid_t pid, const ProcessMapping& mapping, std::string_view build_id, Time now);
  void ReadMappings(Entry* entry, Time now);
  void ReleaseMappings(std::vector<bpf::code_mapping>* mappings, Time now);
  void KeepFormer(Entry* entry, uint64_t time_ns, Time now);
  void DropFormers(Time now);
  void NoteChange(Entry* entry);
  void PublishEntry(Entry* entry, Time now);
  bool PublishGo(const Process& process);
  void NoteLeftOut(Entry* entry, uint64_t count);
  void Unpublish(Entry* entry, Time now);
  void Forget(pid_t pid, Time now);

  KernelSide* kernel_;
  CodeFiles& files_;
  Slab mapping_slab_;
  absl::flat_hash_map<pid_t, std::unique_ptr<Entry>> processes_;
  std::vector<pid_t> changed_;
  std::vector<pid_t> ended_;
  std::deque<std::pair<Time, pid_t>> replaced_;  // processes with former programs
  uint64_t generations_ = 0;
  uint32_t published_versions_ = 0;
  uint64_t mappings_left_out_ = 0;
};

}  // namespace flarestack::record::agent
