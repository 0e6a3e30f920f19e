// SPDX-License-Identifier: Apache-2.0
//
// The language runtimes of processes. Attaches to them, publishes to BPF what it needs to walk
// their frames, and names the frames it found.
//
//   runtimes.Attach(pid, now);              // BPF met an interpreter's loop
//   runtimes.NameFrames({.pid = pid, .time_ns = time}, &frames, now);   // of a trace
//
// Not thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "record/bpf/runtimes.h"
#include "record/code/code_files.h"
#include "record/process/processes.h"
#include "record/runtime/frame_table.h"
#include "record/runtime/naming/attached_runtime.h"
#include "record/runtime/perf_map/jit_names.h"
#include "record/runtime/v8/source_maps.h"

namespace flarestack::record::runtime {

using agent::Time;

struct RuntimeCounts {
  uint64_t frames_named = 0;    // frames of runtimes that have a name
  uint64_t frames_unnamed = 0;  // the process exited first, or the object was replaced
  uint64_t time_ns = 0;         // CPU time of NameFrames
};

class Runtimes {
 public:
  // All must outlive this object; `kernel` may be null.
  Runtimes(agent::Processes* processes, agent::CodeFiles* files, agent::KernelSide* kernel,
           FrameTable* frames)
      : processes_(*processes), files_(*files), kernel_(kernel), frames_(*frames) {}

  // See SourceMaps::SetFolder.
  void SetSourceMapFolder(std::string folder) { source_maps_.SetFolder(std::move(folder)); }

  // Looks for runtimes among the files of a process. Backs off if called repeatedly.
  void Attach(pid_t pid, Time now);

  // Returns what describes the frames of the process's runtime, or null if it is not attached to.
  // Valid until the next call that is not const.
  const bpf::runtime_process* Find(pid_t pid) const;

  struct Sample {
    pid_t pid = 0;
    uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  };

  // Replaces the frames of runtimes and of JIT-compiled code in a stack, leaf first, by named ones,
  // and marks native frames that are part of an interpreter.
  void NameFrames(const Sample& sample, std::vector<uint64_t>* frames, Time now);

  // Forgets processes that are gone.
  void Sweep();

  const RuntimeCounts& counts() const { return counts_; }

 private:
  struct Attachment {
    uint64_t generation = 0;  // of the process
    uint64_t start_ns = 0;
    std::shared_ptr<const agent::RuntimeFile> file;  // outlives `runtime`
    std::unique_ptr<AttachedRuntime> runtime;
    bpf::runtime_process described = {};  // by `runtime`
    uint32_t slot = NO_FILE;              // of the file
    std::optional<JitNames> jit;
    absl::flat_hash_map<std::pair<uint64_t, uint64_t>, uint64_t> words;  // named, by raw words
    Time next_try{};
    int tries = 0;
  };

  Attachment& AttachmentOf(const agent::Process& process);
  absl::Status AttachRuntime(const agent::Process& process, Attachment* attachment);
  void Publish(const agent::Process& process, const Attachment& attachment);
  // Returns 0 for a frame that the language does not show either.
  uint64_t NameOf(pid_t pid, Attachment* attachment, const AttachedRuntime::RawFrame& frame);
  absl::StatusOr<NamedFrame> ReadName(pid_t pid, Attachment* attachment,
                                      AttachedRuntime::RawFrame frame) const;
  std::optional<uint64_t> AddressInFile(pid_t pid, uint32_t slot, uint64_t pc) const;
  void NameLanguageFrames(pid_t pid, const std::vector<uint64_t>& frames, Time now);
  void NameJitFrames(const Sample& sample, Time now);
  static void MarkInternal(const Attachment& attachment, std::vector<uint64_t>* frames);

  agent::Processes& processes_;
  agent::CodeFiles& files_;
  agent::KernelSide* kernel_;
  FrameTable& frames_;
  SourceMaps source_maps_;
  absl::flat_hash_map<pid_t, std::unique_ptr<Attachment>> attachments_;
  std::vector<uint64_t> named_;  // the stack that is being named
  RuntimeCounts counts_;
};

}  // namespace flarestack::record::runtime
