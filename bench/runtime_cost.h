// SPDX-License-Identifier: Apache-2.0
//
// Processes of Python, Java and Node.js that keep the CPUs busy, and what `flarestack agent` and
// other profilers cost while they record these.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "process_churn.h"
#include "process_cost.h"
#include "run_program.h"

namespace flarestack::bench {

// A program that is killed at the end. Discards its output.
class ChildProcess {
 public:
  explicit ChildProcess(std::vector<std::string> words) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = fork();
    if (pid_ != 0)
      return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // even if the benchmark is interrupted
    const int nothing = open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2})
      dup2(nothing, fd);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  ~ChildProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  bool is_running() const { return waitpid(pid_, nullptr, WNOHANG) == 0; }

 private:
  pid_t pid_ = -1;
};

inline constexpr char kRuntimePrograms[] = "tools/runtimes/programs/";
inline constexpr char kWait[] = "--wait";  // makes a benchmark that is started with it busy

// The command line of the busy program, or nothing if the runtime is not installed. Compiles the
// Java program into `directory`.
inline std::optional<std::vector<std::string>> BusyProgram(std::string_view runtime,
                                                           const std::string& directory) {
  if (runtime == "native")
    return std::vector<std::string>{"/proc/self/exe", kWait};
  const std::string folder = kRuntimePrograms;
  const auto is_there = [](const char* program) {
    return RunProgram({program, "--version"}).code == 0;
  };
  if (runtime == "python") {
    // A version manager puts scripts into PATH that start Python as late as they can.
    const std::string program =
        access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
    return is_there(program.c_str())
               ? std::optional<std::vector<std::string>>({program, folder + "busy.py"})
               : std::nullopt;
  }
  if (runtime == "java") {
    const bool is_compiled = access((directory + "/Busy.class").c_str(), R_OK) == 0 ||
                             RunProgram({"javac", "-d", directory, folder + "Busy.java"}).code == 0;
    return is_compiled ? std::optional<std::vector<std::string>>(
                             {"java", "-Xmx128m", "-cp", directory, "Busy"})
                       : std::nullopt;
  }
  return is_there("node") ? std::optional<std::vector<std::string>>({"node", folder + "busy.js"})
                          : std::nullopt;
}

// Shares are of one CPU. `sampling` and `naming` are scaled to the samples of two busy CPUs,
// because other programs may take CPU time from those that are recorded. `user` is not: it includes
// what does not depend on samples, such as following the processes of the host.
struct RuntimeCost {
  double sampling = 0;  // the BPF programs
  double naming = 0;    // of the frames of languages, as the agent accounts it
  double user = 0;      // all threads of the agent: reads, names, merges, encodes and sends
  double samples_per_second = 0;
  double unnamed_share = 0;  // of the frames of languages
  uint64_t resident_bytes = 0;
};

inline constexpr int kRuntimeHz = 99;
inline constexpr int kRuntimeCpus = 2;
inline constexpr std::chrono::seconds kAgentInterval{5};
inline constexpr int kWarmIntervals = 3;
inline constexpr int kMeasuredIntervals = 3;

// The agent records the processes `pids`. Its counters are of the end of an interval, so both
// readings are made there.
class RuntimeAgent {
 public:
  RuntimeAgent(const std::string& program, const std::string& directory,
               const std::string& otlp_grpc, const std::vector<pid_t>& pids)
      : agent_(program, directory, otlp_grpc, Flags(pids)) {}

  RuntimeCost Measure() {
    Await(kWarmIntervals);
    const Reading before = Read();
    Await(kMeasuredIntervals);
    const Reading after = Read();
    const double samples = after.samples - before.samples;
    const double wanted = double{kRuntimeHz} * kRuntimeCpus;
    const double elapsed = std::chrono::duration<double>(after.time - before.time).count();
    RuntimeCost cost = {.samples_per_second = samples / elapsed, .resident_bytes = resident_bytes_};
    const double scale = wanted / std::max(1.0, samples);
    cost.sampling = (after.programs - before.programs) * scale;
    cost.naming = (after.naming - before.naming) * scale;
    cost.user = (after.cpu - before.cpu) / elapsed;
    cost.unnamed_share =
        (after.unnamed - before.unnamed) / std::max(1.0, after.frames - before.frames);
    return cost;
  }

 private:
  struct Reading {
    std::chrono::steady_clock::time_point time;
    double cpu = 0;
    double programs = 0;
    double naming = 0;
    double samples = 0;
    double frames = 0;
    double unnamed = 0;
  };

  static std::vector<std::string> Flags(const std::vector<pid_t>& pids) {
    std::vector<std::string> flags = {
        "--events", "cpu", "--frequency", std::to_string(kRuntimeHz), "--log-level", "error"};
    for (const pid_t pid : pids)
      flags.insert(flags.end(), {"--pid", std::to_string(pid)});
    return flags;
  }

  // Asks rarely, because each question costs the agent CPU time.
  void Await(int intervals) {
    const auto until = std::chrono::steady_clock::now() + intervals * kAgentInterval -
                       std::chrono::milliseconds(500);
    while (std::chrono::steady_clock::now() < until) {
      resident_bytes_ = std::max(resident_bytes_, ResidentBytesOf(agent_.pid()));
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    const double batches = agent_.Metric("batches_total");
    while (agent_.Metric("batches_total") == batches &&
           std::chrono::steady_clock::now() < until + 2 * kAgentInterval)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }

  Reading Read() const {
    return {.time = std::chrono::steady_clock::now(),
            .cpu = CpuSecondsOf(agent_.pid()),
            .programs = agent_.Metric("program_seconds_total"),
            .naming = agent_.Metric("language_naming_seconds_total"),
            .samples = agent_.Metric("samples_total"),
            .frames = agent_.Metric("language_frames_total"),
            .unnamed = agent_.Metric("language_frames_unnamed_total")};
  }

  AgentProcess agent_;
  uint64_t resident_bytes_ = 0;
};

// Other profilers, measured from outside after they have started.
struct PeerCost {
  double sampling = 0;  // BPF programs; not scaled
  double user = 0;
  uint64_t resident_bytes = 0;
};

inline std::optional<PeerCost> MeasurePeers(const std::vector<std::vector<std::string>>& commands) {
  std::vector<std::unique_ptr<ChildProcess>> peers;
  for (const std::vector<std::string>& command : commands)
    peers.push_back(std::make_unique<ChildProcess>(command));
  std::this_thread::sleep_for(kWarmIntervals * kAgentInterval);
  const auto read = [&] {
    PeerCost sum;
    for (const auto& peer : peers) {
      sum.user += CpuSecondsOf(peer->pid());
      sum.sampling += ProgramSecondsOf(peer->pid());
      sum.resident_bytes += ResidentBytesOf(peer->pid());
    }
    return sum;
  };
  const auto begin = std::chrono::steady_clock::now();
  const PeerCost before = read();
  std::this_thread::sleep_for(kMeasuredIntervals * kAgentInterval);
  PeerCost cost = read();
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  cost.user = (cost.user - before.user) / elapsed;
  cost.sampling = (cost.sampling - before.sampling) / elapsed;
  const bool are_running =
      std::all_of(peers.begin(), peers.end(), [](const auto& peer) { return peer->is_running(); });
  return are_running ? std::optional(cost) : std::nullopt;
}

}  // namespace flarestack::bench
