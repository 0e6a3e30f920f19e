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
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "record/agent/code_files.h"
#include "record/agent/process_maps.h"
#include "record/agent/side_band_record.h"
#include "record/agent/slab.h"
#include "record/bpf/layout.h"

namespace flarestack::record::agent {

using Time = std::chrono::steady_clock::time_point;

struct Process {
  pid_t pid = 0;
  uint64_t start_ns = 0;   // since boot, cut to clock ticks; 0 when it was gone before we looked
  std::string command;     // the kernel's name of it
  std::string executable;  // the first file that it mapped as code
  std::vector<bpf::code_mapping> mappings;  // sorted, none over another
  bpf::thread_context_place context = {};
  uint64_t generation = 0;  // another one each time it runs another program

  // The mapping that holds an address, or null.
  const bpf::code_mapping* FindMapping(uint64_t address) const;
};

class Processes {
 public:
  // Both must outlive this object; `kernel` may be null.
  Processes(KernelSide* kernel, CodeFiles* files);
  ~Processes();

  // All that run now.
  void ScanAll(Time now);

  void Apply(const SideBandEvent& event, Time now);

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
  uint64_t files_refused() const { return files_refused_; }

 private:
  struct Entry {
    Process process;
    bool is_changed = false;
    bool is_read = false;  // from /proc
    uint32_t published_base = 0;
    uint32_t published_count = 0;
    Time ended{};  // not yet, while it is the beginning of time
    Time next_learn{};
    std::chrono::milliseconds learn_pause{0};
    Time next_context{};
    std::chrono::milliseconds context_pause{0};
  };

  void ApplyMmap(const MmapEvent& event, Time now);
  void ApplyComm(const CommEvent& event, Time now);
  void ApplyFork(const ForkEvent& event, Time now);
  void ApplyExit(const ExitEvent& event, Time now);

  Entry& EntryOf(pid_t pid);
  void AddMapping(Entry* entry, const ProcessMapping& mapping, std::string_view build_id, Time now);
  uint32_t SlotOf(pid_t pid, const ProcessMapping& mapping, std::string_view build_id, Time now);
  void ReadMappings(Entry* entry, Time now);
  void ClearMappings(Entry* entry, Time now);
  void NoteChange(Entry* entry);
  void PublishEntry(Entry* entry, Time now);
  void Unpublish(Entry* entry, Time now);
  void Forget(pid_t pid, Time now);

  KernelSide* kernel_;
  CodeFiles& files_;
  Slab mapping_slab_;
  absl::flat_hash_map<pid_t, std::unique_ptr<Entry>> processes_;
  std::vector<pid_t> changed_;
  std::vector<pid_t> ended_;
  uint64_t generations_ = 0;
  uint32_t published_versions_ = 0;
  uint64_t files_refused_ = 0;
};

}  // namespace flarestack::record::agent
