// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <string>

#include "base/text/text.h"
#include "record/host/host_findings.h"

namespace flarestack::record::agent {
namespace {

// The perf ring buffer of each CPU, in KiB, including its control page.
constexpr uint64_t kEventRingKb = 132;
constexpr uint64_t kKernelDefaultMlockKb = 516;

// Sets the command that grants the capability. If there is none, appends the reason to the
// description of the consequences.
void OfferCapability(const HostFacts& facts, Capability needed, Finding* finding) {
  finding->fix = GrantCommand(facts, needed);
  if (finding->fix.empty())
    base::StrAppend(&finding->why, "; ", WhyNotGranted(facts, needed));
}

// strerror may share its buffer between threads.
std::string ErrorText(int error) {
  return error == HostProbe::kNotProbed
             ? "not probed"
             : std::string(strerrordesc_np(error) != nullptr ? strerrordesc_np(error) : "error") +
                   base::StrCat(" (", error, ")");
}

struct CapabilityUse {
  const char* id;
  const char* name;
  const char* why;
  Capability capability;
  FindingLevel level;  // if the capability is missing
};

constexpr CapabilityUse kCapabilityUses[] = {
    {"cap-bpf", "CAP_BPF", "BPF programs cannot be loaded", Capability::kBpf,
     FindingLevel::kMissing},
    {"cap-perfmon", "CAP_PERFMON", "other processes and the kernel cannot be sampled",
     Capability::kPerfmon, FindingLevel::kMissing},
    {"cap-sys-ptrace", "CAP_SYS_PTRACE",
     "executables of other users' processes cannot be read, so their stacks are lost",
     Capability::kSysPtrace, FindingLevel::kMissing},
    {"cap-checkpoint-restore", "CAP_CHECKPOINT_RESTORE",
     "executables replaced or deleted while running cannot be symbolized",
     Capability::kCheckpointRestore, FindingLevel::kLimited},
    {"cap-dac-read-search", "CAP_DAC_READ_SEARCH",
     "executables this user cannot read are neither symbolized nor unwound",
     Capability::kDacReadSearch, FindingLevel::kLimited},
};

Finding CapabilityFinding(const CapabilityUse& use, const HostFacts& facts) {
  // CAP_SYS_ADMIN includes the three capabilities split off from it, but not CAP_SYS_PTRACE or
  // CAP_DAC_READ_SEARCH.
  const bool is_part_of_admin = use.capability == Capability::kBpf ||
                                use.capability == Capability::kPerfmon ||
                                use.capability == Capability::kCheckpointRestore;
  if (facts.Has(use.capability))
    return {.id = use.id, .what = base::StrCat("this process has ", use.name)};
  if (is_part_of_admin && facts.Has(Capability::kSysAdmin))
    return {.id = use.id, .what = "this process has CAP_SYS_ADMIN, which includes it"};
  Finding finding = {.id = use.id,
                     .level = use.level,
                     .what = base::StrCat("this process does not have ", use.name),
                     .why = use.why,
                     .is_privilege = true};
  OfferCapability(facts, use.capability, &finding);
  return finding;
}

std::string ParanoidText(const HostFacts& facts) {
  return facts.perf_event_paranoid.has_value()
             ? base::StrCat("kernel.perf_event_paranoid is ", *facts.perf_event_paranoid)
             : "kernel.perf_event_paranoid cannot be read";
}

}  // namespace

std::vector<Finding> CheckCapabilities(const HostFacts& facts) {
  std::vector<Finding> findings;
  for (const CapabilityUse& use : kCapabilityUses)
    findings.push_back(CapabilityFinding(use, facts));
  return findings;
}

Finding CheckPerfEvents(const HostFacts& facts, const HostProbe& probe) {
  if (probe.cpu_clock_all == 0)
    return {.id = "perf-events", .what = "all processes can be sampled"};
  Finding finding = {
      .id = "perf-events",
      .level = FindingLevel::kMissing,
      .what = base::StrCat("perf_event_open for all processes: ", ErrorText(probe.cpu_clock_all)),
      .is_privilege = true};
  if (!facts.Has(Capability::kPerfmon) && !facts.Has(Capability::kSysAdmin)) {
    finding.why = base::StrCat(ParanoidText(facts), ", and 0 or CAP_PERFMON is needed");
    OfferCapability(facts, Capability::kPerfmon, &finding);
  } else {
    finding.why =
        "this process has the capability, so seccomp, a security module or a user "
        "namespace forbids it";
  }
  return finding;
}

Finding CheckOwnPerfEvents(const HostFacts& facts, const HostProbe& probe) {
  if (probe.cpu_clock_own == 0)
    return {.id = "perf-own", .what = "own processes can be sampled"};
  Finding finding = {
      .id = "perf-own",
      .level = FindingLevel::kMissing,
      .what = base::StrCat("perf_event_open for this process: ", ErrorText(probe.cpu_clock_own)),
      .why = ParanoidText(facts),
      .is_privilege = true};
  if (facts.perf_event_paranoid.value_or(0) > 2)
    finding.fix = "sudo sysctl -w kernel.perf_event_paranoid=2";
  return finding;
}

Finding CheckCounters(const HostProbe& probe) {
  if (probe.cycles_all == 0)
    return {.id = "perf-counters", .what = "the processor's counters can be read"};
  return {.id = "perf-counters",
          .level = FindingLevel::kLimited,
          .what = base::StrCat("hardware counter of cycles: ", ErrorText(probe.cycles_all)),
          .why = "samples come from a timer, which misses code that runs with interrupts disabled"};
}

Finding CheckBpf(const HostFacts& facts, const HostProbe& probe) {
  const int error = probe.bpf_map != 0 ? probe.bpf_map : probe.bpf_ring_buffer;
  if (error == 0)
    return {.id = "bpf", .what = "BPF maps and ring buffers can be created"};
  Finding finding = {.id = "bpf",
                     .level = FindingLevel::kMissing,
                     .what = base::StrCat(probe.bpf_map != 0 ? "table" : "ring buffer",
                                          " of BPF: ", ErrorText(error)),
                     .is_privilege = error == EPERM || error == EACCES};
  const bool has_capability = facts.Has(Capability::kBpf) || facts.Has(Capability::kSysAdmin);
  if (has_capability) {
    finding.why = finding.is_privilege ? "this process has the capability, so seccomp, a security "
                                         "module or a user namespace forbids it"
                                       : "the kernel was built without it";
  } else {
    finding.why = "stacks are collected by BPF programs, which need CAP_BPF";
    OfferCapability(facts, Capability::kBpf, &finding);
  }
  return finding;
}

// Follows the kernel's rules: 0 shows addresses if perf may see the kernel, 1 only with CAP_SYSLOG,
// 2 never.
Finding CheckKernelNames(const HostFacts& facts) {
  const int restriction = facts.kptr_restrict.value_or(0);
  const bool is_open = restriction == 0 && facts.perf_event_paranoid.value_or(2) <= 1;
  if (is_open || (restriction <= 1 && facts.Has(Capability::kSyslog)))
    return {.id = "kernel-names", .what = "addresses of kernel functions can be read"};
  const bool is_hidden = restriction > 1;
  Finding finding = {
      .id = "kernel-names",
      .level = FindingLevel::kLimited,
      .what = base::StrCat("kernel.kptr_restrict is ", restriction,
                           is_hidden ? "" : ", and this process does not have CAP_SYSLOG"),
      .why = "kernel functions cannot be symbolized",
      .is_privilege = !is_hidden};
  if (is_hidden)
    finding.fix = "sudo sysctl -w kernel.kptr_restrict=1";
  else
    OfferCapability(facts, Capability::kSyslog, &finding);
  return finding;
}

Finding CheckLockedMemory(const HostFacts& facts) {
  const bool is_free = facts.Has(Capability::kIpcLock) || facts.memlock_bytes == UINT64_MAX;
  const uint64_t kb = facts.perf_event_mlock_kb.value_or(kKernelDefaultMlockKb);
  // Before 5.11, BPF maps counted too.
  const bool must_lift = !facts.IsKernelAtLeast(5, 11) && !facts.Has(Capability::kSysResource);
  if (is_free || (kb >= kEventRingKb && !must_lift))
    return {.id = "locked-memory", .what = "locked memory suffices for the ring buffers of events"};
  if (must_lift) {
    Finding finding = {.id = "locked-memory",
                       .level = FindingLevel::kMissing,
                       .what = "locked memory is limited, and this process cannot raise the limit",
                       .why = "before Linux 5.11, BPF maps count as locked memory",
                       .is_privilege = true};
    OfferCapability(facts, Capability::kSysResource, &finding);
    return finding;
  }
  return {.id = "locked-memory",
          .level = FindingLevel::kLimited,
          .what = base::StrCat("kernel.perf_event_mlock_kb is ", kb),
          .why = "ring buffers of events are smaller, so a burst of new processes may be missed",
          .fix = base::StrCat("sudo sysctl -w kernel.perf_event_mlock_kb=", kKernelDefaultMlockKb)};
}

}  // namespace flarestack::record::agent
