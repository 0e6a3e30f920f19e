// SPDX-License-Identifier: Apache-2.0
#include "record/testing/recording_here.h"

#include <unistd.h>

#include <cstring>

#include "base/text/text.h"
#include "record/host/host_probe.h"

namespace flarestack::record::agent::testing {

std::string WhyNoRecording() {
  if (geteuid() != 0)
    return "recording needs root";
  if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
    return "the kernel does not describe its types (BTF)";
  const HostProbe probe = ProbeHost();
  if (probe.cpu_clock_all != 0)
    return base::StrCat("no perf events of all processes: ", std::strerror(probe.cpu_clock_all));
  if (probe.bpf_ring_buffer != 0)
    return base::StrCat("no BPF ring buffers: ", std::strerror(probe.bpf_ring_buffer));
  return "";
}

}  // namespace flarestack::record::agent::testing
