// SPDX-License-Identifier: Apache-2.0
//
// What the kernel answers when it is asked for what recording needs. Files say what should work;
// this says what does, also under seccomp, lockdown or in a container.
#pragma once

namespace flarestack::record::agent {

// 0, or the errno of the refusal. Default: nobody asked, and all is refused.
struct HostProbe {
  static constexpr int kNotAsked = -1;

  int cpu_clock_all = kNotAsked;  // perf event of all processes of a processor
  int cpu_clock_own = kNotAsked;  // perf event of this process, in user space
  int cycles_all = kNotAsked;     // the same by the processor's own counter
  int bpf_map = kNotAsked;        // a small table
  int bpf_ring_buffer = kNotAsked;
};

// Opens and closes one of each; changes nothing.
HostProbe ProbeHost();

}  // namespace flarestack::record::agent
