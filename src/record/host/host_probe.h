// SPDX-License-Identifier: Apache-2.0
//
// The kernel's replies to the operations that recording needs. Files say what should work; this
// shows what does work, including under seccomp, lockdown or in a container.
#pragma once

namespace flarestack::record::agent {

// 0, or the errno of the failure. Default: not probed, which counts as failed.
struct HostProbe {
  static constexpr int kNotProbed = -1;

  int cpu_clock_all = kNotProbed;  // perf event of all processes on one CPU
  int cpu_clock_own = kNotProbed;  // perf event of this process, in user space
  int cycles_all = kNotProbed;     // the same with the hardware cycle counter
  int bpf_map = kNotProbed;        // a small array map
  int bpf_ring_buffer = kNotProbed;
};

// Opens and closes one of each; has no lasting effect.
HostProbe ProbeHost();

}  // namespace flarestack::record::agent
