// SPDX-License-Identifier: Apache-2.0
//
// Facts about this host and the privileges of this process, read from files below /proc and /sys.
// Tests can supply their own root. A file that is missing or unreadable yields no fact.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace flarestack::record::agent {

// The kernel's numbers, from linux/capability.h.
enum class Capability : uint8_t {
  kDacReadSearch = 2,
  kIpcLock = 14,
  kSysPtrace = 19,
  kSysAdmin = 21,
  kSysResource = 24,
  kSetFileCapabilities = 31,
  kSyslog = 34,
  kPerfmon = 38,
  kBpf = 39,
  kCheckpointRestore = 40,
};

enum class Lockdown : uint8_t { kNone, kIntegrity, kConfidentiality };
enum class Cgroups : uint8_t { kNone, kV1, kV2, kBoth };

// The BPF helpers the kernel has, by its version or, for backports, by its BTF.
struct BpfHelpers {
  bool has_ring_buffer = false;   // 5.8
  bool has_task_pt_regs = false;  // 5.15
  bool has_loop = false;          // 5.17
};

struct HostFacts {
  std::string kernel_release;  // "6.1.0-18-amd64"; empty: unknown
  int kernel_major = 0;
  int kernel_minor = 0;
  bool has_btf = false;  // kernel type information, /sys/kernel/btf/vmlinux
  BpfHelpers helpers;

  uint64_t capabilities = 0;  // effective, one bit each
  // The bounding set: the most that this process and its children can gain, one bit each.
  uint64_t capabilities_max = ~uint64_t{0};
  bool has_no_new_privileges = false;  // executing a program grants no capabilities
  std::optional<int> perf_event_paranoid;
  std::optional<int> kptr_restrict;
  std::optional<int> unprivileged_bpf_disabled;
  std::optional<uint64_t> perf_event_mlock_kb;
  std::optional<uint64_t> memlock_bytes;  // UINT64_MAX: unlimited
  Lockdown lockdown = Lockdown::kNone;

  Cgroups cgroups = Cgroups::kNone;
  std::optional<bool> is_host_pid_namespace;
  std::string container;  // "docker", "podman" or "container"; empty: no sign of one

  uint64_t process_count = 0;  // with an executable that we can see
  uint64_t program_count = 0;  // distinct executables among these

  bool has_debug_files = false;  // anything below /usr/lib/debug
  std::string debuginfod_urls;
  std::string program_path = "flarestack";  // of this process
  bool is_program_nosuid = false;           // its file system ignores file capabilities

  bool Has(Capability capability) const {
    return (capabilities >> static_cast<unsigned>(capability) & 1) != 0;
  }
  bool CanGain(Capability capability) const {
    return (capabilities_max >> static_cast<unsigned>(capability) & 1) != 0;
  }
  bool IsKernelAtLeast(int major, int minor) const {
    return kernel_major > major || (kernel_major == major && kernel_minor >= minor);
  }
};

// `root` is empty for this host. `environment` looks up DEBUGINFOD_URLS.
HostFacts ReadHostFacts(
    const std::string& root,
    const std::function<std::optional<std::string>(const std::string&)>& environment);

}  // namespace flarestack::record::agent
