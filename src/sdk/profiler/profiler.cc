// SPDX-License-Identifier: Apache-2.0
#include "sdk/profiler/profiler.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "sdk/context/process_context.h"
#include "sdk/cpu/cpu_timers.h"
#include "sdk/heap/allocation_sampler_signal.h"
#include "sdk/heap/live_table_signal.h"
#include "sdk/hooks.h"
#include "sdk/real_functions.h"
#include "sdk/sample/capture_signal.h"
#include "sdk/sample/sample_ring_signal.h"
#include "sdk/thread_state.h"
#include "sdk/unwind/modules.h"
#include "sdk/version.h"

namespace flarestack::sdk {
namespace {

constexpr size_t kRingBytes = 8 << 20;

struct Profiler {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  bool is_running = false;
  bool has_fork_handlers = false;
  // Never freed while the process lives: its threads may still read them at exit.
  Config* config = nullptr;
  std::shared_ptr<Worker>* worker = nullptr;
  pthread_t thread = {};
};
constinit Profiler g_profiler;
constinit WorkerStats g_stats;
constinit LabelKeys g_label_keys;

class Lock {
 public:
  Lock() { pthread_mutex_lock(&g_profiler.mutex); }
  ~Lock() { pthread_mutex_unlock(&g_profiler.mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  InsideScope inside_;
};

bool HaveAllocationHooks() { return AllocationHooksWork != nullptr && AllocationHooksWork(); }
bool HaveThreadHooks() { return ThreadHooksWork != nullptr && ThreadHooksWork(); }

std::string NewInstanceId() {
  std::array<uint8_t, 16> bytes = {};
  if (getrandom(bytes.data(), bytes.size(), 0) < 0)
    bytes[0] = static_cast<uint8_t>(getpid());
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3f) | 0x80);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      text += '-';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string ExecutableName() {
  std::array<char, PATH_MAX> path;
  const ssize_t bytes = readlink("/proc/self/exe", path.data(), path.size());
  const std::string_view whole(path.data(), bytes > 0 ? static_cast<size_t>(bytes) : 0);
  return std::string(whole.substr(whole.rfind('/') + 1));
}

// The last value of a key counts; what is missing gets its default.
void CompleteResource(Config* config, bool is_new_instance) {
  Config::Attributes complete;
  const auto set = [&](const std::string& key, std::string value, bool replaces) {
    const auto known =
        std::ranges::find(complete, key, [](const auto& attribute) { return attribute.first; });
    if (known == complete.end())
      complete.emplace_back(key, std::move(value));
    else if (replaces)
      known->second = std::move(value);
  };
  for (auto& [key, value] : config->resource)
    set(key, value, /*replaces=*/true);
  const std::string executable = ExecutableName();
  set("service.name", "unknown_service:" + executable, false);
  set("service.instance.id", NewInstanceId(), is_new_instance);
  set("process.executable.name", executable, false);
  std::array<char, HOST_NAME_MAX + 1> host = {};
  if (gethostname(host.data(), host.size() - 1) == 0)
    set("host.name", host.data(), false);
  set("telemetry.sdk.name", "flarestack", true);
  set("telemetry.sdk.language", "cpp", true);
  set("telemetry.sdk.version", std::string(kSdkVersion), true);
  config->resource = std::move(complete);
}

void* RunWorker(void* data) {
  const InsideScope inside;
  const std::unique_ptr<std::shared_ptr<Worker>> worker(
      static_cast<std::shared_ptr<Worker>*>(data));
  pthread_setname_np(pthread_self(), "flarestack");
  (*worker)->Run();
  return nullptr;
}

bool StartWorker() {
  // Its predecessor, in the child of a fork, has no thread and may be half-way through anything:
  // it is left as it is.
  g_profiler.worker = new std::shared_ptr<Worker>(
      std::make_shared<Worker>(*g_profiler.config, g_label_keys, HaveThreadHooks(), &g_stats));
  auto own = std::make_unique<std::shared_ptr<Worker>>(*g_profiler.worker);
  // The program's signals go to its own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  (*FindRealFunctions()).pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failure = pthread_create(&g_profiler.thread, nullptr, RunWorker, own.get());
  (*FindRealFunctions()).pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure == 0)
    (void)own.release();  // the thread owns it now
  return failure == 0;
}

void SetAllocationSampling(bool is_on) {
  const ProfileTypes& types = g_profiler.config->types;
  g_allocations.mean_bytes.store(g_profiler.config->allocation_mean_bytes,
                                 std::memory_order_relaxed);
  // Entries of the table stay valid only while frees are seen.
  g_allocations.tracks_live.store(is_on && types.live_heap, std::memory_order_relaxed);
  g_allocations.is_on.store(is_on && (types.allocations || types.live_heap),
                            std::memory_order_release);
}

void BeforeFork() {
  pthread_mutex_lock(&g_profiler.mutex);
  LockTimersForFork();
  LockModulesForFork();
}

void InParentAfterFork() {
  UnlockModulesInParent();
  UnlockTimersInParent();
  pthread_mutex_unlock(&g_profiler.mutex);
}

// The child is another instance of the service, with one thread.
void InChildAfterFork() {
  const InsideScope inside;
  ResetThreadAfterFork();
  ResetRingAfterFork();
  ResetCaptureAfterFork();
  ResetLiveTableAfterFork();
  ResetProcessContextAfterFork();
  g_label_keys.ResetAfterFork();
  UnlockModulesInChild();
  UnlockTimersInChild();
  g_profiler.mutex = PTHREAD_MUTEX_INITIALIZER;
  if (!g_profiler.is_running)
    return;
  CompleteResource(g_profiler.config, /*is_new_instance=*/true);
  PublishProcessContext(g_profiler.config->resource, g_label_keys.Copy());
  if (g_profiler.config->types.cpu)
    RegisterThread();
  g_profiler.is_running = StartWorker();
}

// Returns what does not work, for the one who started the profiler.
std::string StartParts() {
  const Config& config = *g_profiler.config;
  std::string problems;
  for (const std::string& complaint : config.complaints)
    problems += complaint + "; ";
  if ((config.types.allocations || config.types.live_heap) && !HaveAllocationHooks()) {
    problems +=
        "allocations are not seen, because another allocator is linked statically or loaded "
        "first; ";
  }
  if (config.types.cpu && StartCpuTimers(config.cpu_period_ns) == 0)
    problems += "no signal is free for CPU profiles; ";
  if (!PublishProcessContext(config.resource, g_label_keys.Copy()))
    problems += "the process context could not be published; ";
  if (!problems.empty())
    problems.resize(problems.size() - 2);
  return problems;
}

bool OpenMemory() { return OpenSampleRing(kRingBytes) && OpenCapture() && OpenLiveTable(); }

}  // namespace

StartResult StartProfiler(Config config, std::string* error) {
  const Lock lock;
  if (!config.is_enabled)
    return StartResult::kDisabled;
  if (g_profiler.is_running)
    return StartResult::kAlreadyRunning;
  if (FindRealFunctions() == nullptr || !OpenMemory()) {
    *error = "out of memory";
    return StartResult::kFailed;
  }
  CompleteResource(&config, /*is_new_instance=*/false);
  g_profiler.config = new Config(std::move(config));
  if (!g_profiler.has_fork_handlers) {
    pthread_atfork(BeforeFork, InParentAfterFork, InChildAfterFork);
    g_profiler.has_fork_handlers = true;
  }
  RefreshModules();
  *error = StartParts();
  if (!StartWorker()) {
    StopCpuTimers();
    *error = "cannot start a thread";
    return StartResult::kFailed;
  }
  if (g_profiler.config->types.cpu)
    RegisterThread();
  SetAllocationSampling(true);
  g_profiler.is_running = true;
  return StartResult::kStarted;
}

bool StopProfiler(uint64_t timeout_ms) {
  std::shared_ptr<Worker> worker;
  pthread_t thread = {};
  {
    const Lock lock;
    if (!g_profiler.is_running)
      return true;
    g_profiler.is_running = false;
    StopCpuTimers();
    t_thread.is_registered = false;
    g_allocations.is_on.store(false, std::memory_order_relaxed);
    worker = *g_profiler.worker;
    thread = g_profiler.thread;
  }
  const InsideScope inside;
  const bool is_flushed = worker->Flush(timeout_ms);
  g_allocations.tracks_live.store(false, std::memory_order_relaxed);
  WithdrawProcessContext();
  worker->RequestEnd();
  // A thread that is still sending is left to itself.
  if (is_flushed)
    pthread_join(thread, nullptr);
  else
    pthread_detach(thread);
  return is_flushed;
}

bool FlushProfiler(uint64_t timeout_ms) {
  const InsideScope inside;
  std::shared_ptr<Worker> worker;
  {
    const Lock lock;
    if (!g_profiler.is_running)
      return true;
    worker = *g_profiler.worker;
  }
  return worker->Flush(timeout_ms);
}

bool IsProfilerRunning() {
  const Lock lock;
  return g_profiler.is_running;
}

const WorkerStats& ProfilerStats() { return g_stats; }

int AddLabelKey(std::string_view key) {
  const Lock lock;
  const size_t before = g_label_keys.count();
  const int index = g_label_keys.Add(key);
  if (g_profiler.is_running && g_label_keys.count() != before)
    PublishProcessContext(g_profiler.config->resource, g_label_keys.Copy());
  return index;
}

}  // namespace flarestack::sdk
