// SPDX-License-Identifier: Apache-2.0
//
// The processes of this host and where they have their code, from the kernel's news about them and
// from /proc. What is known is published to the kernel's side, so that it can walk their stacks.
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
#include "record/process/process_maps.h"

namespace flarestack::record::agent {

using Time = std::chrono::steady_clock::time_point;

// The mapping that holds an address, or null. They are sorted.
const bpf::code_mapping* FindMapping(std::span<const bpf::code_mapping> mappings, uint64_t address);

// What a process ran before it began another program.
struct FormerProgram {
  uint64_t until_ns = 0;  // CLOCK_MONOTONIC
  Time replaced{};
  uint64_t generation = 0;
  std::string command;
  std::string executable;
  std::vector<bpf::code_mapping> mappings;
};

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;        // that started it, where the kernel told; else 0
  uint64_t start_ns = 0;   // since boot, cut to clock ticks; 0 when it was gone before we looked
  std::string command;     // the kernel's name of it
  std::string executable;  // the first file that it mapped as code
  std::vector<bpf::code_mapping> mappings;  // sorted, none over another
  bpf::thread_context_place context = {};
  uint64_t generation = 0;  // another one each time it runs another program
  // Those of the last seconds, oldest first: traces are read later than they were taken.
  std::vector<FormerProgram> formers;

  // The mapping that holds an address, or null.
  const bpf::code_mapping* FindMapping(uint64_t address) const {
    return agent::FindMapping(mappings, address);
  }
  // What it ran at that time; null when it still does.
  const FormerProgram* FormerAt(uint64_t time_ns) const;
};

class Processes {
 public:
  // Both must outlive this object; `kernel` may be null.
  Processes(KernelSide* kernel, CodeFiles* files);
  ~Processes();

  // All that run now.
  void ScanAll(Time now);

  void Apply(const PerfEvent& event, Time now);

  // Reads /proc about a process that is unknown, or runs code that none of its mappings has. Not
  // more often than it may help.
  void Learn(pid_t pid, Time now);

  // The process has said that its threads tell what they work on: finds out where. Not more often
  // than it may help.
  void LookForThreadContext(pid_t pid, Time now);

  // Null for one that is not known, or is another than began then.
  Process* Find(pid_t pid, uint64_t start_time_ns);
  // Whenever it began.
  Process* FindAny(pid_t pid);

  // Tells the kernel's side what has changed.
  void Publish(Time now);

  // News were lost: looks for processes that began or ended meanwhile.
  void CheckAll(Time now);

  // Forgets those that ended a while ago: their last traces have been read.
  void Sweep(Time now);

  size_t count() const { return processes_.size(); }
  // Of the processes that are known: mappings for which the kernel's side has no room. Its stacks
  // through their code are walked by us.
  uint64_t mappings_left_out() const { return mappings_left_out_; }

 private:
  struct Entry {
    Process process;
    bool is_changed = false;
    bool is_read = false;  // from /proc
    uint32_t published_base = 0;
    uint32_t published_count = 0;
    uint64_t left_out_count = 0;
    Time ended{};  // not yet, while it is the beginning of time
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
  void NoteLeftOut(Entry* entry, uint64_t count);
  void Unpublish(Entry* entry, Time now);
  void Forget(pid_t pid, Time now);

  KernelSide* kernel_;
  CodeFiles& files_;
  Slab mapping_slab_;
  absl::flat_hash_map<pid_t, std::unique_ptr<Entry>> processes_;
  std::vector<pid_t> changed_;
  std::vector<pid_t> ended_;
  std::deque<std::pair<Time, pid_t>> replaced_;  // processes that have former programs
  uint64_t generations_ = 0;
  uint32_t published_versions_ = 0;
  uint64_t mappings_left_out_ = 0;
};

}  // namespace flarestack::record::agent
