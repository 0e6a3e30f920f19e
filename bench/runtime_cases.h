// SPDX-License-Identifier: Apache-2.0
//
// The cost of the whole agent, at 99 Hz on two busy CPUs, while it records two processes of Python,
// Java or Node.js, or one of each; beside it py-spy, and the eBPF profiler of OpenTelemetry if
// there is one.
//
// Budget: 0.5 % of a CPU for sampling, 1 % for naming, and 80 MB of memory with one of each.
// `native` is for comparison: the same without a runtime.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "judge.h"
#include "peers.h"
#include "runtime_cost.h"
#include "server.h"

namespace flarestack::bench {

inline constexpr double kBudgetSampling = 0.005;
inline constexpr double kBudgetNaming = 0.01;
inline constexpr double kBudgetRuntimesMegabytes = 80;
inline constexpr int kRuntimeTurns = 3;

struct RuntimeCase {
  std::string name;
  std::vector<std::string> runtimes;  // one process each
  std::vector<RuntimeCost> turns = {};
  std::vector<PeerCost> py_spy_turns = {};
  std::vector<PeerCost> ebpf_turns = {};
};

// Runs the processes of a case, and the profilers in turns.
inline bool MeasureCase(const std::string& program, const std::string& directory,
                        RuntimeCase* one) {
  std::vector<std::unique_ptr<ChildProcess>> load;
  std::vector<pid_t> pids;
  for (const std::string& runtime : one->runtimes) {
    const auto command = BusyProgram(runtime, directory);
    if (!command.has_value()) {
      std::printf("  %s skipped: %s is not installed\n", one->name.c_str(), runtime.c_str());
      return true;
    }
    load.push_back(std::make_unique<ChildProcess>(*command));
    pids.push_back(load.back()->pid());
  }
  const Server server(program, directory + "/data", {});
  if (!server.is_running()) {
    std::printf("cannot start %s serve\n", program.c_str());
    return false;
  }
  one->turns.push_back(RuntimeAgent(program, directory, server.otlp_grpc(), pids).Measure());
  if (const std::string py_spy = FindPySpy(); one->name == "python" && !py_spy.empty()) {
    std::vector<std::vector<std::string>> commands;
    for (const pid_t pid : pids)
      commands.push_back({py_spy, "record", "--pid", std::to_string(pid), "--rate",
                          std::to_string(kRuntimeHz), "--format", "raw", "--output", "/dev/null"});
    if (const auto cost = MeasurePeers(commands); cost.has_value())
      one->py_spy_turns.push_back(*cost);
  }
  if (const std::string ebpf_profiler = FindEbpfProfiler();
      one->name == "one of each" && !ebpf_profiler.empty()) {
    const auto cost = MeasurePeers(
        {{ebpf_profiler, "-collection-agent", server.otlp_grpc(), "-disable-tls",
          "-reporter-interval", "5s", "-samples-per-second", std::to_string(kRuntimeHz)}});
    if (cost.has_value())
      one->ebpf_turns.push_back(*cost);
  }
  std::filesystem::remove_all(directory + "/data");
  return true;
}

// Others who use the machine only ever add time.
template <typename Turn>
double LeastOf(const std::vector<Turn>& turns, double Turn::*share) {
  const auto least = std::min_element(
      turns.begin(), turns.end(),
      [share](const Turn& one, const Turn& other) { return one.*share < other.*share; });
  return (*least).*share;
}

template <typename Turn>
double MegabytesMax(const std::vector<Turn>& turns) {
  uint64_t most = 0;
  for (const Turn& turn : turns)
    most = std::max(most, turn.resident_bytes);
  return static_cast<double>(most) / 1e6;
}

inline void PrintPeer(const char* name, const std::vector<PeerCost>& turns) {
  if (turns.empty()) {
    std::printf("  %-24s not available\n", name);
    return;
  }
  std::printf("  %-24s sampling %7.4f %%, user space %7.4f %%, %6.1f MB\n", name,
              100 * LeastOf(turns, &PeerCost::sampling), 100 * LeastOf(turns, &PeerCost::user),
              MegabytesMax(turns));
}

inline bool JudgeCase(const RuntimeCase& one) {
  if (one.turns.empty())
    return true;
  const double sampling = LeastOf(one.turns, &RuntimeCost::sampling);
  const double naming = LeastOf(one.turns, &RuntimeCost::naming);
  double samples_per_second = 0;
  double unnamed_share = 0;
  for (const RuntimeCost& turn : one.turns) {
    samples_per_second = std::max(samples_per_second, turn.samples_per_second);
    unnamed_share = std::max(unnamed_share, turn.unnamed_share);
  }
  std::printf("%s\n", one.name.c_str());
  std::printf(
      "  %-24s sampling %7.4f %%, user space %7.4f %%, %6.1f MB   naming %7.4f %%   "
      "%.0f samples/s, %.2f %% of frames unnamed\n",
      "flarestack", 100 * sampling, 100 * LeastOf(one.turns, &RuntimeCost::user),
      MegabytesMax(one.turns), 100 * naming, samples_per_second, 100 * unnamed_share);
  if (one.name == "python")
    PrintPeer("py-spy, once per process", one.py_spy_turns);
  if (one.name == "one of each")
    PrintPeer("OpenTelemetry's profiler", one.ebpf_turns);
  if (one.name == "native")
    return true;
  bool are_all_met = Judge("share of a processor, sampling", sampling, kBudgetSampling);
  are_all_met &= Judge("share of a processor, naming", naming, kBudgetNaming);
  if (one.name == "one of each")
    are_all_met &=
        Judge("MB resident, the whole agent", MegabytesMax(one.turns), kBudgetRuntimesMegabytes);
  return are_all_met;
}

inline bool JudgeRuntimes(const std::string& program, int turns) {
  const std::string directory =
      (std::filesystem::temp_directory_path() / "flarestack-agent-bench").string();
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  std::vector<RuntimeCase> cases = {{"native", {"native", "native"}},
                                    {"python", {"python", "python"}},
                                    {"java", {"java", "java"}},
                                    {"node", {"node", "node"}},
                                    {"one of each", {"python", "java", "node"}}};
  const int accounting = AccountPrograms();  // of the programs of others; the agent does so itself
  std::printf("language runtimes at %d Hz on %d busy processors, in shares of one; least of %d\n",
              kRuntimeHz, kRuntimeCpus, turns);
  for (int turn = 0; turn < turns; ++turn)
    for (RuntimeCase& one : cases)
      if (!MeasureCase(program, directory, &one))
        return false;
  bool are_all_met = true;
  for (const RuntimeCase& one : cases)
    are_all_met &= JudgeCase(one);
  if (accounting >= 0)
    close(accounting);
  std::filesystem::remove_all(directory);
  return are_all_met;
}

}  // namespace flarestack::bench
