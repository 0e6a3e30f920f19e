// SPDX-License-Identifier: Apache-2.0
//
// What files below /proc and /sys say about this host and about what this process may do there.
// Read from a root that tests can make up; a file that is not there or that cannot be read is no
// fact.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace flarestack::record::agent {

// Numbers of the kernel, in linux/capability.h.
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

// Which helpers of BPF the kernel has: by its types, and where there are none by its version.
struct BpfHelpers {
  bool has_ring_buffer = false;   // 5.8
  bool has_task_pt_regs = false;  // 5.15
  bool has_loop = false;          // 5.17
};

struct HostFacts {
  std::string kernel_release;  // "6.1.0-18-amd64"; empty: not known
  int kernel_major = 0;
  int kernel_minor = 0;
  bool has_btf = false;  // types of the kernel, /sys/kernel/btf/vmlinux
  BpfHelpers helpers;

  uint64_t capabilities = 0;  // effective, one bit each
  // The bounding set: what this process and its children can gain at most, one bit each.
  uint64_t capabilities_max = ~uint64_t{0};
  bool has_no_new_privileges = false;  // programs gain nothing when they are executed
  std::optional<int> perf_event_paranoid;
  std::optional<int> kptr_restrict;
  std::optional<int> unprivileged_bpf_disabled;
  std::optional<uint64_t> perf_event_mlock_kb;
  std::optional<uint64_t> memlock_bytes;  // UINT64_MAX: unlimited
  Lockdown lockdown = Lockdown::kNone;

  Cgroups cgroups = Cgroups::kNone;
  std::optional<bool> is_host_pid_namespace;
  std::string container;  // "docker", "podman" or "container"; empty: no sign of one

  uint64_t process_count = 0;  // that have an executable we may see
  uint64_t program_count = 0;  // different executables of these

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

// `root` is empty for this host. `environment` is asked for DEBUGINFOD_URLS.
HostFacts ReadHostFacts(
    const std::string& root,
    const std::function<std::optional<std::string>(const std::string&)>& environment);

}  // namespace flarestack::record::agent
