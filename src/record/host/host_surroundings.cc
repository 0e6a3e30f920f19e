// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "base/text/text.h"
#include "record/host/host_findings.h"

namespace flarestack::record::agent {

Finding CheckKernel(const HostFacts& facts) {
  Finding finding = {
      .id = "kernel",
      .what = base::StrCat(
          "Linux ", facts.kernel_release.empty() ? "of an unknown version" : facts.kernel_release)};
  std::string lacks;
  for (const auto& [has, name] :
       {std::pair{facts.helpers.has_ring_buffer, "ring buffers (5.8)"},
        std::pair{facts.helpers.has_task_pt_regs, "bpf_task_pt_regs (5.15)"},
        std::pair{facts.helpers.has_loop, "bpf_loop (5.17)"}}) {
    if (!has)
      base::StrAppend(&lacks, lacks.empty() ? "" : ", ", name);
  }
  if (lacks.empty())
    return finding;
  finding.level = FindingLevel::kMissing;
  finding.why = base::StrCat("stacks are unwound in the kernel, which lacks ", lacks);
  return finding;
}

Finding CheckTypes(const HostFacts& facts) {
  if (facts.has_btf)
    return {.id = "btf", .what = "the kernel has BTF type information"};
  return {
      .id = "btf",
      .level = FindingLevel::kMissing,
      .what = "/sys/kernel/btf/vmlinux does not exist",
      .why =
          "BPF programs locate kernel fields by BTF; build the kernel with CONFIG_DEBUG_INFO_BTF"};
}

Finding CheckUnprivilegedBpf(const HostFacts& facts) {
  const std::string value = facts.unprivileged_bpf_disabled.has_value()
                                ? std::to_string(*facts.unprivileged_bpf_disabled)
                                : "not there";
  return {.id = "unprivileged-bpf",
          .what = base::StrCat("kernel.unprivileged_bpf_disabled is ", value,
                               "; recording does not depend on it")};
}

Finding CheckLockdown(const HostFacts& facts) {
  if (facts.lockdown == Lockdown::kConfidentiality) {
    return {.id = "lockdown",
            .level = FindingLevel::kMissing,
            .what = "the kernel is locked down for confidentiality",
            .why =
                "it denies perf events and BPF reads of kernel memory to everyone; boot with "
                "lockdown=integrity",
            .is_privilege = true};
  }
  return {.id = "lockdown",
          .what = facts.lockdown == Lockdown::kIntegrity
                      ? "the kernel is locked down for integrity, which permits recording"
                      : "the kernel is not locked down"};
}

Finding CheckPidNamespace(const HostFacts& facts) {
  if (facts.is_host_pid_namespace == true) {
    return {.id = "pid-namespace",
            .what = facts.container.empty()
                        ? "this process sees the processes of the host"
                        : base::StrCat("this process is in a container (", facts.container,
                                       ") and sees the processes of the host")};
  }
  if (!facts.is_host_pid_namespace.has_value()) {
    return {.id = "pid-namespace",
            .level = FindingLevel::kLimited,
            .what = "the PID namespace cannot be determined",
            .why = "in a container's PID namespace, other processes have no names"};
  }
  return {.id = "pid-namespace",
          .level = FindingLevel::kMissing,
          .what = base::StrCat("this process is in a container (", facts.container,
                               ") with its own PID namespace"),
          .why =
              "samples carry host PIDs, which are meaningless here; start the container with "
              "--pid=host, or hostPID: true in Kubernetes",
          .is_privilege = true};
}

Finding CheckCgroups(const HostFacts& facts) {
  switch (facts.cgroups) {
    case Cgroups::kV1:
      return {.id = "cgroups", .what = "cgroup v1 is mounted"};
    case Cgroups::kV2:
      return {.id = "cgroups", .what = "cgroup v2 is mounted"};
    case Cgroups::kBoth:
      return {.id = "cgroups", .what = "cgroup v1 and v2 are mounted"};
    case Cgroups::kNone:
      break;
  }
  return {.id = "cgroups",
          .level = FindingLevel::kLimited,
          .what = "no cgroup is mounted",
          .why = "samples cannot be attributed to containers"};
}

Finding CheckProcesses(const HostFacts& facts) {
  return {.id = "processes",
          .what = base::StrCat(facts.process_count, " processes of ", facts.program_count,
                               " programs; the agent groups them by service, program and "
                               "container, unless it runs with --per-process")};
}

Finding CheckSymbolSources(const HostFacts& facts) {
  if (!facts.debuginfod_urls.empty())
    return {.id = "symbols", .what = base::StrCat("DEBUGINFOD_URLS is ", facts.debuginfod_urls)};
  if (facts.has_debug_files)
    return {.id = "symbols", .what = "there are debug files in /usr/lib/debug"};
  return {.id = "symbols",
          .level = FindingLevel::kLimited,
          .what = "neither debug files in /usr/lib/debug nor DEBUGINFOD_URLS",
          .why = "stripped programs show few function names and no lines",
          .fix = "export DEBUGINFOD_URLS=https://debuginfod.debian.net"};
}

}  // namespace flarestack::record::agent
