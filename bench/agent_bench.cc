// SPDX-License-Identifier: Apache-2.0
//
// The cost of recording a whole host while all CPUs are busy, compared with perf at the same rate:
// CPU time of the recorder, time that its interrupts take from the load, memory, and the share of
// complete stacks. Needs root.
//
// The kernel accounts the time of our BPF programs, but not the work of perf at the moment of a
// sample, such as copying stacks. So the load measures the time it loses to interrupts
// (busy_load.h). The same method measures both profilers, and also a timer of the same rate that
// does nothing, which is the cost no profiler can avoid. All take turns, several times, and the
// minimum of each is shown: other guests of the machine only ever add time.
//
// At 20 and 99 Hz the limit applies to the accounted time of our process and programs, without the
// interrupts around them: those vary by more than the budget. At 999 Hz, compared with perf, the
// cost of both includes the interrupt time beyond that of the timer.
//
// Budget: at 20 Hz at most 0.1 % of each CPU, at 99 Hz 0.5 %, at 999 Hz a fifth of the cost of perf
// with --call-graph dwarf; 60 MB of memory, 30 MB of tables in the kernel; 50 ms from the exec of a
// new program to the first page of its table. The whole agent, with symbols and sending: 60 MB of
// memory on a quiet host and on one with 300 short processes a second, and there at most 100
// resources in a message and 2 % of incomplete stacks.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/text/encoding.h"
#include "busy_load.h"
#include "elf/build_id.h"
#include "elf/elf_file.h"
#include "judge.h"
#include "process_churn.h"
#include "record/agent/recorder.h"
#include "record/kernel/clock_events.h"
#include "record/kernel/online_cpus.h"
#include "runtime_cases.h"
#include "server.h"

namespace flarestack::bench {
namespace {

namespace agent = record::agent;
using Clock = std::chrono::steady_clock;
using std::chrono::duration;
using std::chrono::milliseconds;

constexpr double kBudgetAt20Hz = 0.001;
constexpr double kBudgetAt99Hz = 0.005;
constexpr double kBudgetOfPerfDwarf = 0.2;
constexpr double kBudgetFirstPageMs = 50;
constexpr uint64_t kBudgetResidentBytes = 60'000'000;
constexpr uint64_t kBudgetTableBytes = 30'000'000;
constexpr int kChurnPerSecond = 300;
constexpr std::chrono::seconds kChurnTime{40};
constexpr double kBudgetResources = 100;
constexpr double kBudgetTruncated = 0.02;
constexpr std::chrono::seconds kTurn{8};
constexpr int kTurns = 4;
constexpr milliseconds kStep{500};  // same as the agent

// ---- Measuring ----------------------------------------------------------------------------------

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double Used(int who) {
  rusage usage = {};
  getrusage(who, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

uint64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total = 0;
  uint64_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Shares are per CPU.
struct Result {
  double process_share = 0;    // of the profiler's own process
  double interrupt_share = 0;  // including what the machine takes anyway
  // our BPF programs, as the kernel accounts them; part of the interrupts
  double program_share = 0;
  double complete_share = 0;
  uint64_t samples = 0;
  uint64_t resident_bytes = 0;
  uint64_t table_bytes = 0;
};

double Alone(const BusyLoad& load) {
  const uint64_t begin_ns = ClockNs();
  std::this_thread::sleep_for(kTurn);
  return load.GapShareSince(begin_ns);
}

// The share lost to a timer that does nothing.
std::optional<double> WithTimer(const BusyLoad& load, uint32_t frequency_hz) {
  const auto clock =
      agent::OpenClockEvents(frequency_hz, /*prefers_cycles=*/false, agent::OnlineCpus());
  if (!clock.ok())
    return std::nullopt;
  for (const base::Descriptor& fd : clock->fds)
    ioctl(fd.get(), PERF_EVENT_IOC_ENABLE, 0);
  return Alone(load);
}

uint64_t RunNanoseconds(const agent::RecorderStats& stats) {
  uint64_t run_ns = 0;
  for (const agent::ProgramCost& cost : stats.costs)
    run_ns += cost.run_ns;
  return run_ns;
}

std::optional<Result> Record(const BusyLoad& load, uint32_t frequency_hz) {
  auto recorder = agent::Recorder::Create({.frequency_hz = frequency_hz});
  if (!recorder.ok() || !(*recorder)->EnableCosts().ok() || !(*recorder)->Begin().ok()) {
    std::printf("cannot record: %s\n", recorder.status().ToString().c_str());
    return std::nullopt;
  }
  // Warm up: the recorder inspects new modules at once and then less and less often, which is not
  // part of the steady cost.
  const auto warm_until = Clock::now() + kTurn;
  while (Clock::now() < warm_until)
    (*recorder)->Step(kStep);
  if (!(*recorder)->Take().ok())
    return std::nullopt;
  const agent::RecorderStats stats_before = (*recorder)->stats();
  const double used_before = Used(RUSAGE_SELF);
  const uint64_t begin_ns = ClockNs();
  const auto begin = Clock::now();
  while (Clock::now() < begin + kTurn)
    (*recorder)->Step(kStep);
  if (!(*recorder)->Take().ok())
    return std::nullopt;
  const double elapsed = duration<double>(Clock::now() - begin).count();
  const agent::RecorderStats stats = (*recorder)->stats();
  const double programs =
      static_cast<double>(RunNanoseconds(stats) - RunNanoseconds(stats_before)) / 1e9;
  const auto ended = [&](record::bpf::unwind_end end) {
    return static_cast<double>(stats.ends[end] - stats_before.ends[end]);
  };
  const uint64_t samples = stats.samples - stats_before.samples;
  return Result{.process_share = (Used(RUSAGE_SELF) - used_before) / elapsed / Processors(),
                .interrupt_share = load.GapShareSince(begin_ns),
                .program_share = programs / elapsed / Processors(),
                .complete_share = (ended(record::bpf::UNWIND_COMPLETE) +
                                   ended(record::bpf::UNWIND_NO_USER_STACK)) /
                                  std::max<double>(1, static_cast<double>(samples)),
                .samples = samples,
                .resident_bytes = ResidentBytes(),
                .table_bytes = stats.table_bytes};
}

// In a separate process, so that its memory is that of one recorder.
std::optional<Result> Ours(const BusyLoad& load, uint32_t frequency_hz) {
  int ends[2];
  if (pipe(ends) != 0)
    return std::nullopt;
  const pid_t pid = fork();
  if (pid == 0) {
    const auto result = Record(load, frequency_hz);
    const bool is_reported =
        result.has_value() && write(ends[1], &*result, sizeof(*result)) == ssize_t{sizeof(*result)};
    _exit(is_reported ? 0 : 1);
  }
  close(ends[1]);
  Result result;
  const bool is_reported = read(ends[0], &result, sizeof(result)) == ssize_t{sizeof(result)};
  close(ends[0]);
  waitpid(pid, nullptr, 0);
  return is_reported ? std::optional(result) : std::nullopt;
}

// ---- A new program ------------------------------------------------------------------------------

constexpr int kNewPrograms = 9;

// Copies of this program with new build ids, because the recorder identifies files by build id.
class NewPrograms {
 public:
  static std::optional<NewPrograms> Make() {
    NewPrograms made;
    std::ifstream self("/proc/self/exe", std::ios::binary);
    made.bytes_.assign(std::istreambuf_iterator<char>(self), {});
    const auto elf = elf::ElfFile::Parse(made.bytes_);
    if (!elf.ok())
      return std::nullopt;
    const auto id = base::HexDecode(elf::GnuBuildId(*elf));
    if (!id.has_value() || id->empty())
      return std::nullopt;
    made.id_at_ = made.bytes_.find(*id);
    return made;
  }
  void Write(const std::string& path) {
    ++bytes_[id_at_];
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << bytes_;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

 private:
  std::string bytes_;
  size_t id_at_ = 0;
};

// Median time from the exec of a new file to the first page of its unwind table, in milliseconds.
std::optional<double> FirstPageMs() {
  auto recorder = agent::Recorder::Create({.frequency_hz = 99});
  auto programs = NewPrograms::Make();
  if (!recorder.ok() || !(*recorder)->Begin().ok() || !programs.has_value())
    return std::nullopt;
  const auto warm_until = Clock::now() + std::chrono::seconds(1);
  while (Clock::now() < warm_until)
    (*recorder)->Step(kStep);
  const std::string path =
      (std::filesystem::temp_directory_path() / "flarestack-agent-bench.copy").string();
  std::vector<double> times;
  for (int i = 0; i < kNewPrograms; ++i) {
    programs->Write(path);
    (*recorder)->Step(milliseconds(0));
    const uint64_t pages = (*recorder)->stats().pages_loaded;
    const auto begin = Clock::now();
    const pid_t pid = fork();
    if (pid == 0) {
      execl(path.c_str(), path.c_str(), kWait, nullptr);
      _exit(127);
    }
    while ((*recorder)->stats().pages_loaded == pages &&
           Clock::now() < begin + std::chrono::seconds(5))
      (*recorder)->Step(kStep);
    times.push_back(duration<double, std::milli>(Clock::now() - begin).count());
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  std::filesystem::remove(path);
  return Median(std::move(times));
}

// ---- perf --------------------------------------------------------------------------------------

// A stack is complete if its last frame is where threads begin.
double CompleteOfPerf(const std::string& data) {
  const std::string command = "perf script -F comm,ip,sym -i " + data + " 2>/dev/null";
  FILE* const script = popen(command.c_str(), "r");
  if (script == nullptr)
    return 0;
  char line[4096];
  std::string last;
  uint64_t stacks = 0;
  uint64_t complete = 0;
  while (std::fgets(line, sizeof(line), script) != nullptr) {
    if (line[0] != '\n') {
      last = line;
      continue;
    }
    ++stacks;
    for (const char* entry : {"_start", "clone", "ret_from_fork", "entry_SYSCALL"})
      if (last.find(entry) != std::string::npos) {
        ++complete;
        break;
      }
  }
  pclose(script);
  return static_cast<double>(complete) / std::max<double>(1, static_cast<double>(stacks));
}

std::optional<Result> Perf(const BusyLoad& load, uint32_t frequency_hz, const char* call_graph) {
  const std::string data =
      (std::filesystem::temp_directory_path() / "flarestack-agent-bench.perf").string();
  const std::string rate = std::to_string(frequency_hz);
  const std::string length = std::to_string(kTurn.count());
  const double used_before = Used(RUSAGE_CHILDREN);
  const uint64_t begin_ns = ClockNs();
  const auto begin = Clock::now();
  const pid_t pid = fork();
  if (pid == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    execlp("perf", "perf", "record", "-a", "-e", "cpu-clock", "-F", rate.c_str(), "--call-graph",
           call_graph, "-o", data.c_str(), "sleep", length.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return std::nullopt;
  const double elapsed = duration<double>(Clock::now() - begin).count();
  Result result = {.process_share = (Used(RUSAGE_CHILDREN) - used_before) / elapsed / Processors(),
                   .interrupt_share = load.GapShareSince(begin_ns)};
  result.complete_share = frequency_hz < 999 ? CompleteOfPerf(data) : -1;
  std::filesystem::remove(data);
  return result;
}

// The interrupts of a profiler cost at least as much as its programs that run in them.
double Cost(const Result& result, double with_timer) {
  return result.process_share + std::max(result.program_share, result.interrupt_share - with_timer);
}

// Accounted time: of the process, and of its programs in the kernel.
double Account(const Result& result) { return result.process_share + result.program_share; }

void Print(const char* name, const Result& result, double alone) {
  std::printf("  %-24s process %7.4f %%, interrupts %7.4f %%", name, 100 * result.process_share,
              100 * (result.interrupt_share - alone));
  if (result.program_share > 0)
    std::printf(" (programs %7.4f %%)", 100 * result.program_share);
  if (result.complete_share >= 0)
    std::printf("   complete %6.2f %%", 100 * result.complete_share);
  if (result.samples > 0)
    std::printf("   %llu samples", static_cast<unsigned long long>(result.samples));
  std::printf("\n");
}

double Least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

// The minimum of each share, including that of complete stacks; the maximum of samples and memory.
Result Quietest(const std::vector<Result>& turns) {
  const auto least = [&](double Result::*share) {
    std::vector<double> values;
    for (const Result& turn : turns)
      values.push_back(turn.*share);
    return Least(values);
  };
  Result result = {.process_share = least(&Result::process_share),
                   .interrupt_share = least(&Result::interrupt_share),
                   .program_share = least(&Result::program_share),
                   .complete_share = least(&Result::complete_share)};
  for (const Result& turn : turns) {
    result.samples = std::max(result.samples, turn.samples);
    result.resident_bytes = std::max(result.resident_bytes, turn.resident_bytes);
    result.table_bytes = std::max(result.table_bytes, turn.table_bytes);
  }
  return result;
}

// ---- The whole agent ----------------------------------------------------------------------------

struct AgentMemory {
  uint64_t quiet_bytes = 0;
  uint64_t churn_bytes = 0;
  double processes = 0;  // of the churn, with samples
  double resources_per_message = 0;
  double truncated_share = 0;
};

std::optional<AgentMemory> MeasureAgent(const std::string& program) {
  const std::string directory =
      (std::filesystem::temp_directory_path() / "flarestack-agent-bench").string();
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  AgentMemory memory;
  {
    const Server server(program, directory + "/data", {});
    if (!server.is_running())
      return std::nullopt;
    const AgentProcess process(program, directory, server.otlp_grpc());
    memory.quiet_bytes = process.ResidentBytes(kChurnTime);
    const std::vector<const char*> names = {
        "processes_taken_total", "resources_taken_total",       "batches_total",
        "truncated_total",       "walked_after_the_fact_total", "samples_total",
        "waits_recorded_total"};
    const auto read = [&] {
      std::vector<double> values;
      for (const char* name : names)
        values.push_back(process.Metric(name));
      return values;
    };
    const std::vector<double> before = read();
    {
      const ProcessChurn churn(kChurnPerSecond);
      memory.churn_bytes = process.ResidentBytes(kChurnTime);
    }
    std::vector<double> grown = read();
    for (size_t i = 0; i < grown.size(); ++i)
      grown[i] -= before[i];
    memory.processes = grown[0];
    memory.resources_per_message = grown[1] / std::max(1.0, grown[2]);
    // The agent unwinds again the stacks that the kernel side truncated, mostly to the end.
    memory.truncated_share =
        std::max(0.0, grown[3] - grown[4]) / std::max(1.0, grown[5] + grown[6]);
  }
  std::filesystem::remove_all(directory);
  return memory;
}

bool JudgeAgent(const std::string& program) {
  const auto memory = MeasureAgent(program);
  if (!memory.has_value()) {
    std::printf("cannot start %s serve\n", program.c_str());
    return false;
  }
  std::printf("the agent, while %d processes a second come and go: %.0f of them had samples\n",
              kChurnPerSecond, memory->processes);
  const double budget = static_cast<double>(kBudgetResidentBytes) / 1e6;
  bool are_all_met =
      Judge("MB resident, quiet host", static_cast<double>(memory->quiet_bytes) / 1e6, budget);
  are_all_met &= Judge("MB resident, processes come and go",
                       static_cast<double>(memory->churn_bytes) / 1e6, budget);
  are_all_met &= Judge("resources in a message", memory->resources_per_message, kBudgetResources);
  are_all_met &= Judge("stacks that are not complete", memory->truncated_share, kBudgetTruncated);
  return are_all_met;
}

int Main(const std::vector<uint32_t>& frequencies) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const BusyLoad load;
  bool are_all_met = true;
  uint64_t resident_bytes = 0;
  uint64_t table_bytes = 0;
  for (const uint32_t frequency : frequencies) {
    std::vector<double> alone_turns;
    std::vector<double> timer_turns;
    std::vector<Result> our_turns;
    std::vector<Result> fp_turns;
    std::vector<Result> dwarf_turns;
    for (int turn = 0; turn < kTurns; ++turn) {
      alone_turns.push_back(Alone(load));
      if (const auto with_timer = WithTimer(load, frequency); with_timer.has_value())
        timer_turns.push_back(*with_timer);
      const auto ours = Ours(load, frequency);
      if (!ours.has_value())
        return 1;
      our_turns.push_back(*ours);
      if (const auto perf = Perf(load, frequency, "fp"); perf.has_value())
        fp_turns.push_back(*perf);
      if (const auto perf = Perf(load, frequency, "dwarf"); perf.has_value())
        dwarf_turns.push_back(*perf);
    }
    const double alone = Least(alone_turns);
    const double with_timer = timer_turns.empty() ? alone : Least(timer_turns);
    std::printf("%u Hz, %d busy processors, which lose %.4f %% to interrupts anyway\n", frequency,
                Processors(), 100 * alone);
    std::printf("  %-24s                   interrupts %7.4f %%\n", "a timer that does nothing",
                100 * (with_timer - alone));
    const Result ours = Quietest(our_turns);
    Print("flarestack", ours, alone);
    if (!fp_turns.empty())
      Print("perf --call-graph fp", Quietest(fp_turns), alone);
    if (!dwarf_turns.empty())
      Print("perf --call-graph dwarf", Quietest(dwarf_turns), alone);
    if (frequency == 20)
      are_all_met &= Judge("share of each processor", Account(ours), kBudgetAt20Hz);
    if (frequency == 99)
      are_all_met &= Judge("share of each processor", Account(ours), kBudgetAt99Hz);
    if (frequency == 999 && !dwarf_turns.empty()) {
      const Result dwarf = Quietest(dwarf_turns);
      std::printf("  %-44s %10.5f\n", "of what perf takes with dwarf, with the timer",
                  Cost(ours, alone) / Cost(dwarf, alone));
      are_all_met &= Judge("of what perf takes with dwarf",
                           Cost(ours, with_timer) / Cost(dwarf, with_timer), kBudgetOfPerfDwarf);
    }
    resident_bytes = std::max(resident_bytes, ours.resident_bytes);
    table_bytes = std::max(table_bytes, ours.table_bytes);
  }
  if (const auto first_page_ms = FirstPageMs(); first_page_ms.has_value())
    are_all_met &=
        Judge("ms from exec to the first page of a table", *first_page_ms, kBudgetFirstPageMs);
  are_all_met &= Judge("MB resident", static_cast<double>(resident_bytes) / 1e6,
                       static_cast<double>(kBudgetResidentBytes) / 1e6);
  are_all_met &= Judge("MB of tables in the kernel", static_cast<double>(table_bytes) / 1e6,
                       static_cast<double>(kBudgetTableBytes) / 1e6);
  return are_all_met ? 0 : 1;
}

}  // namespace
}  // namespace flarestack::bench

//   agent_bench [HZ...]                  cost of recording
//   agent_bench --agent FLARESTACK       memory of the whole agent
//   agent_bench --runtimes FLARESTACK [TURNS]   of Python, Java and Node.js
int main(int count, char** words) {
  if (count >= 3 && std::string_view(words[1]) == "--runtimes") {
    const int turns = count > 3 ? std::atoi(words[3]) : flarestack::bench::kRuntimeTurns;
    return flarestack::bench::JudgeRuntimes(words[2], turns) ? 0 : 1;
  }
  if (count == 3 && std::string_view(words[1]) == "--agent")
    return flarestack::bench::JudgeAgent(words[2]) ? 0 : 1;
  // The program that FirstPageMs() starts: busy until it is killed.
  if (count == 2 && std::string_view(words[1]) == flarestack::bench::kWait) {
    volatile uint64_t rounds = 0;
    for (;;)
      rounds = rounds + 1;
  }
  std::vector<uint32_t> frequencies;
  for (int i = 1; i < count; ++i)
    frequencies.push_back(static_cast<uint32_t>(std::strtoul(words[i], nullptr, 10)));
  return flarestack::bench::Main(count > 1 ? frequencies : std::vector<uint32_t>{20, 99, 999});
}
