// SPDX-License-Identifier: Apache-2.0
#include "record/host/host_probe.h"

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace flarestack::record::agent {
namespace {

constexpr unsigned kSampleHz = 19;

int CloseOrErrno(long fd) {
  if (fd < 0)
    return errno;
  close(static_cast<int>(fd));
  return 0;
}

struct PerfTarget {
  pid_t pid = -1;  // -1: all, 0: this process
  int cpu = 0;     // -1: any
};

int OpenPerfEvent(uint32_t type, uint64_t config, PerfTarget target) {
  perf_event_attr attr = {};
  attr.size = sizeof(attr);
  attr.type = type;
  attr.config = config;
  attr.freq = 1;
  attr.sample_freq = kSampleHz;
  attr.disabled = 1;
  attr.exclude_kernel = target.pid == 0 ? 1 : 0;
  return CloseOrErrno(
      syscall(SYS_perf_event_open, &attr, target.pid, target.cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

int CreateBpfMap(bpf_map_type type, uint32_t value_bytes, uint32_t entries) {
  bpf_attr attr = {};
  attr.map_type = type;
  attr.key_size = type == BPF_MAP_TYPE_RINGBUF ? 0 : sizeof(uint32_t);
  attr.value_size = value_bytes;
  attr.max_entries = entries;
  return CloseOrErrno(syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)));
}

}  // namespace

HostProbe ProbeHost() {
  const auto page_bytes = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
  const PerfTarget all = {.pid = -1, .cpu = 0};
  const PerfTarget own = {.pid = 0, .cpu = -1};
  HostProbe probe;
  probe.cpu_clock_all = OpenPerfEvent(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, all);
  probe.cpu_clock_own = OpenPerfEvent(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, own);
  probe.cycles_all = OpenPerfEvent(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, all);
  probe.bpf_map = CreateBpfMap(BPF_MAP_TYPE_ARRAY, sizeof(uint64_t), 1);
  probe.bpf_ring_buffer = CreateBpfMap(BPF_MAP_TYPE_RINGBUF, 0, page_bytes);
  return probe;
}

}  // namespace flarestack::record::agent
