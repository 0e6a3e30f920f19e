// SPDX-License-Identifier: Apache-2.0
//
// The programs of record/bpf, loaded and attached, with the tables they read and the messages they
// send.
//
//   FLARE_ASSIGN(auto kernel, KernelSide::Load({.frequency_hz = 99}));
//   FLARE_RETURN_IF_ERROR(kernel->Attach());
//   kernel->ReadTraces([&](std::string_view message) { ... });
//
// Not thread-safe. The programs go when this object goes.
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
#include "record/bpf/layout.h"
#include "record/kernel/counted_event.h"

namespace flarestack::record::agent {

// Who is recorded. All lists empty: everybody. Else whoever is in one of them.
struct Choice {
  std::vector<pid_t> processes;  // and those that they start
  std::vector<uint64_t> cgroups;
  std::vector<uint32_t> users;
  std::vector<std::string> commands;  // the first 15 bytes count, as the kernel has them
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
  bool reads_context = true;
  Choice choice;
  std::vector<int> processors;  // to record on; empty: all that run
  std::vector<const CountedEvent*> counted;
  uint64_t counted_period = 0;  // see CountedRate

  // Sizes of the tables; docs/adr has what they cost.
  uint32_t row_chunks = 128;
  uint32_t mapping_chunks = 16;
  uint32_t pages = 1 << 16;
  uint32_t trace_bytes = 1 << 20;  // a power of two

  // Programs that call each other where bpf_loop would do, as on Linux 5.15 and 5.16.
  bool avoids_loop = false;
};

// Tables that the kernel's side reads, as memory of ours. What is in use there must not change, but
// for whole words.
struct KernelTables {
  std::span<bpf::unwind_row> rows;
  std::span<bpf::code_page> pages;
  std::span<bpf::code_file> files;
  std::span<bpf::unwind_rule> rules;
  std::span<bpf::code_mapping> mappings;
  uint32_t* file_generation = nullptr;  // see changing_settings
};

using KernelCounters = std::array<uint64_t, bpf::COUNTER_COUNT>;

// What one program cost so far, and how large it was to verify.
struct ProgramCost {
  std::string name;
  uint64_t run_ns = 0;  // 0 unless the kernel counts (EnableCosts)
  uint64_t run_count = 0;
  uint32_t verified_instructions = 0;
};

class KernelSide {
 public:
  // kPermissionDenied, or kFailedPrecondition when the kernel cannot: in words of the kernel.
  static absl::StatusOr<std::unique_ptr<KernelSide>> Load(const KernelSideOptions& options);
  ~KernelSide();

  // From here on processes are followed when they start others and other programs. Attach does it
  // too, where this was not called before.
  absl::Status Follow();

  // From here on there are messages. kPermissionDenied, kUnavailable.
  absl::Status Attach();

  // No more messages from here on but those that wait to be read.
  void Detach();

  const KernelTables& tables() const;

  // Publishes where a process has its code. A process that is not published is sent with a copy of
  // its stack.
  absl::Status SetProcess(pid_t process, const bpf::process_tables& tables);
  void RemoveProcess(pid_t process);

  void SetWaitSampling(uint64_t unit_ns);
  void SetStackCopiesMax(uint32_t per_second);

  // Each message that has come, in order; of traces, repeats of those that came before follow.
  using Visitor = absl::FunctionRef<void(std::string_view message)>;
  using RepeatVisitor = absl::FunctionRef<void(const bpf::trace_repeat& repeat)>;
  // False when there is more, after half a second.
  bool ReadTraces(Visitor visit, RepeatVisitor visit_repeat);
  void ReadRequests(Visitor visit);

  // From here on each trace is sent whole once more before it is repeated.
  void BeginPeriod();

  // Readable when there are requests, and when traces take a quarter of their room.
  int requests_fd() const;
  int traces_fd() const;

  KernelCounters ReadCounters() const;

  // Has the kernel count what programs cost, for as long as this object lives.
  absl::Status EnableCosts();
  std::vector<ProgramCost> ReadCosts() const;

  // Of all tables and rings, as the kernel accounts for them.
  uint64_t memory_bytes() const;

 private:
  struct Impl;
  explicit KernelSide(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::record::agent
