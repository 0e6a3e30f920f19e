// SPDX-License-Identifier: Apache-2.0
//
// Other programs that a benchmark is compared with in the same run, if available:
//
//   FLARESTACK_PROFCHECK       the Go checker of OpenTelemetry: PROGRAM [FLAGS] FILE
//   FLARESTACK_TRANSLATOR      the Collector's translator, either way by extension: PROGRAM IN OUT
//   FLARESTACK_PY_SPY          py-spy
//   FLARESTACK_EBPF_PROFILER   the eBPF profiler of OpenTelemetry
//
// If the first or py-spy is not set, uses the one that ./dev interop installs. `go tool pprof`
// needs no setting.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "run_program.h"

namespace flarestack::bench {

// Empty if there is none.
inline std::string FindPeer(const char* variable, const std::string& otherwise = "") {
  const char* const path = std::getenv(variable);
  const std::string found = path != nullptr ? path : otherwise;
  return !found.empty() && access(found.c_str(), X_OK) == 0 ? found : "";
}

inline std::string FindProfcheck() {
  return FindPeer("FLARESTACK_PROFCHECK", "build/interop/profcheck");
}
inline std::string FindPySpy() {
  return FindPeer("FLARESTACK_PY_SPY", "build/interop/py-spy/bin/py-spy");
}
inline std::string FindEbpfProfiler() { return FindPeer("FLARESTACK_EBPF_PROFILER"); }
inline std::string FindTranslator() { return FindPeer("FLARESTACK_TRANSLATOR"); }

// The best of several runs of each command, taking turns so that a noisy neighbour hits all of
// them: noise only ever adds time.
inline std::vector<Run> RunInTurns(const std::vector<std::vector<std::string>>& commands,
                                   int turns) {
  std::vector<Run> best(commands.size());
  for (int turn = 0; turn < turns; ++turn) {
    for (size_t i = 0; i < commands.size(); ++i) {
      const Run run = RunProgram(commands[i]);
      if (turn == 0) {
        best[i] = run;
        continue;
      }
      best[i].seconds = std::min(best[i].seconds, run.seconds);
      best[i].cpu_seconds = std::min(best[i].cpu_seconds, run.cpu_seconds);
      best[i].peak_bytes = std::max(best[i].peak_bytes, run.peak_bytes);
      best[i].code = std::max(best[i].code, run.code);
    }
  }
  return best;
}

}  // namespace flarestack::bench
