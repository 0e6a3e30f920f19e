// SPDX-License-Identifier: Apache-2.0
//
// Loads and attaches the programs of record/bpf, and provides the tables they read and the messages
// they send.
//
//   FLARE_ASSIGN(auto kernel, KernelSide::Load({.frequency_hz = 99}));
//   FLARE_RETURN_IF_ERROR(kernel->Attach());
//   kernel->ReadTraces([&](std::string_view message) { ... });
//
// Not thread-safe. The programs are unloaded with this object.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "record/bpf/go_process.h"
#include "record/bpf/layout.h"
#include "record/bpf/runtimes.h"
#include "record/kernel/counted_event.h"

namespace flarestack::record::agent {

// Selects the threads to record: those that match any of the lists, or all if the lists are empty.
struct Choice {
  std::vector<pid_t> processes;  // including their descendants
  std::vector<uint64_t> cgroups;
  std::vector<uint32_t> users;
  std::vector<std::string> commands;  // compared by the first 15 bytes, like the kernel's comm
  std::vector<pid_t> threads;

  bool ChoosesProcessesAlone() const {
    return cgroups.empty() && users.empty() && commands.empty() && threads.empty();
  }
  bool empty() const { return processes.empty() && ChoosesProcessesAlone(); }
};

struct KernelSideOptions {
  uint32_t frequency_hz = 19;
  bool records_on_cpu = true;
  bool records_off_cpu = false;
  bool reads_context = true;     // thread contexts, and labels of goroutines
  bool reads_goroutines = true;  // labels and ids; Load tries without if the verifier rejects it
  bool reads_goroutine_ids = false;  // makes samples of different goroutines distinct
  Choice choice;
  std::vector<int> processors;  // CPUs to record on; empty: all online CPUs
  std::vector<const CountedEvent*> counted;
  uint64_t counted_period = 0;  // see CountedRate

  // Sizes of the tables; docs/adr describes their cost.
  uint32_t row_chunks = 128;
  uint32_t mapping_chunks = 16;
  uint32_t pages = 1 << 16;
  uint32_t trace_bytes = 1 << 20;  // a power of two

  // Uses tail calls instead of bpf_loop, as on Linux 5.15 and 5.16.
  bool avoids_loop = false;
};

// Tables that BPF reads, mapped into our memory. Entries in use may only change by whole words.
struct KernelTables {
  std::span<bpf::unwind_row> rows;
  std::span<bpf::code_page> pages;
  std::span<bpf::code_file> files;
  std::span<bpf::unwind_rule> rules;
  std::span<bpf::code_mapping> mappings;
  uint32_t* file_generation = nullptr;  // see changing_settings
};

using KernelCounters = std::array<uint64_t, bpf::COUNTER_COUNT>;

// The cost of one program so far, and its size for the verifier.
struct ProgramCost {
  std::string name;
  uint64_t run_ns = 0;  // 0 unless run-time statistics are enabled (EnableCosts)
  uint64_t run_count = 0;
  uint32_t verified_instructions = 0;
};

class KernelSide {
 public:
  // Returns kPermissionDenied, or kFailedPrecondition if the kernel lacks support, with the
  // kernel's message.
  static absl::StatusOr<std::unique_ptr<KernelSide>> Load(const KernelSideOptions& options);
  ~KernelSide();

  // Starts tracking fork and exec of processes. Attach does this too if Follow was not called.
  absl::Status Follow();

  // Starts sending messages. Returns kPermissionDenied or kUnavailable on failure.
  absl::Status Attach();

  // Stops sending messages. Messages not read yet stay available.
  void Detach();

  const KernelTables& tables() const;

  // Publishes the mappings of a process. Samples of an unpublished process come with a copy of the
  // stack.
  absl::Status SetProcess(pid_t process, const bpf::process_tables& tables);
  void RemoveProcess(pid_t process);  // with its runtimes
  // Publishes where the threads of a Go program keep their goroutine.
  absl::Status SetGoProcess(pid_t process, const bpf::go_process& go);
  // Publishes the language runtimes of a process.
  absl::Status SetRuntime(pid_t process, const bpf::runtime_process& runtime);

  void SetWaitSampling(uint64_t unit_ns);
  void SetStackCopiesMax(uint32_t per_second);

  // Called for each message in order. The repeats of traces follow after the messages.
  using Visitor = absl::FunctionRef<void(std::string_view message)>;
  using RepeatVisitor = absl::FunctionRef<void(const bpf::trace_repeat& repeat)>;
  // Returns false if it stopped after half a second with messages left.
  bool ReadTraces(Visitor visit, RepeatVisitor visit_repeat);
  void ReadRequests(Visitor visit);

  // Starts a period: each trace is sent completely once before it is repeated.
  void BeginPeriod();

  // Readable when there are requests, and when traces fill a quarter of their ring buffer.
  int requests_fd() const;
  int traces_fd() const;

  // False if the kernel's verifier rejected the program that reads labels of goroutines.
  bool reads_goroutines() const;

  KernelCounters ReadCounters() const;

  // Enables run-time statistics of BPF programs for the lifetime of this object.
  absl::Status EnableCosts();
  std::vector<ProgramCost> ReadCosts() const;

  // Memory of all maps and ring buffers, as accounted by the kernel.
  uint64_t memory_bytes() const;

 private:
  struct Impl;
  explicit KernelSide(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::record::agent
