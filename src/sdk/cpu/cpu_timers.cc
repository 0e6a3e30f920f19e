// SPDX-License-Identifier: Apache-2.0
#include "sdk/cpu/cpu_timers.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "sdk/cpu/cpu_handler_signal.h"
#include "sdk/real_functions.h"
#include "sdk/thread_state.h"

namespace flarestack::sdk {
namespace {

struct ThreadTimer {
  int timer = -1;
  uint64_t start_time = 0;  // of the thread, which tells it from a later one with the same id
};

struct Timers {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  bool is_running = false;
  uint64_t period_ns = 0;
  int signal = 0;
  std::unordered_map<pid_t, ThreadTimer>* by_thread = nullptr;  // never freed: used until exit
};
constinit Timers g_timers;

class Lock {
 public:
  Lock() { pthread_mutex_lock(&g_timers.mutex); }
  ~Lock() { pthread_mutex_unlock(&g_timers.mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  InsideScope inside_;
};

// CPUCLOCK_SCHED of one thread.
clockid_t CpuClockOf(pid_t tid) {
  return static_cast<clockid_t>((~static_cast<unsigned>(tid) << 3) | 6);
}

// Not from libc, which rejects the clocks of other threads.
int MakeTimer(pid_t tid, uint64_t first_ns) {
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = g_timers.signal;
  event.sigev_value.sival_ptr = CpuTimerMark();
  event._sigev_un._tid = tid;
  int timer = -1;
  if (syscall(SYS_timer_create, CpuClockOf(tid), &event, &timer) != 0)
    return -1;
  const auto to_time = [](uint64_t ns) {
    return timespec{.tv_sec = static_cast<time_t>(ns / 1'000'000'000),
                    .tv_nsec = static_cast<long>(ns % 1'000'000'000)};
  };
  const itimerspec times = {.it_interval = to_time(g_timers.period_ns),
                            .it_value = to_time(first_ns)};
  syscall(SYS_timer_settime, timer, 0, &times, nullptr);
  return timer;
}

void DeleteTimer(int timer) {
  if (timer >= 0)
    syscall(SYS_timer_delete, timer);
}

// Between 1 and the period, so that many threads do not expire together, and short ones are
// sampled with the right probability.
uint64_t FirstExpiry(pid_t tid) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t value = static_cast<uint64_t>(now.tv_nsec) * 0x9e3779b97f4a7c15 +
                   static_cast<uint64_t>(tid) * 0xbf58476d1ce4e5b9;
  value ^= value >> 31;
  value *= 0x94d049bb133111eb;
  value ^= value >> 29;
  return value % g_timers.period_ns + 1;
}

// Field 22 of /proc/self/task/TID/stat; 0 if the thread has ended.
uint64_t StartTimeOf(pid_t tid) {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/stat", static_cast<int>(tid));
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  std::array<char, 1024> text;
  const ssize_t bytes = read(file, text.data(), text.size() - 1);
  close(file);
  if (bytes <= 0)
    return 0;
  text[static_cast<size_t>(bytes)] = 0;
  const char* at = std::strrchr(text.data(), ')');  // behind the name, which may have spaces
  for (int field = 2; at != nullptr && field < 22; ++field)
    at = std::strchr(at + 1, ' ');
  return at == nullptr ? 0 : std::strtoull(at + 1, nullptr, 10);
}

void AddTimer(pid_t tid, uint64_t start_time) {
  (*g_timers.by_thread)[tid] = {.timer = MakeTimer(tid, FirstExpiry(tid)),
                                .start_time = start_time};
}

bool IsFree(int number) {
  struct sigaction now = {};
  return RealSigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
         now.sa_handler == SIG_DFL;
}

int FindFreeSignal(int except) {
  if (except != SIGPROF && IsFree(SIGPROF))
    return SIGPROF;
  for (int number = SIGRTMAX - 1; number > SIGRTMIN; --number) {
    if (number != except && IsFree(number))
      return number;
  }
  return 0;
}

void Unblock(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace

int StartCpuTimers(uint64_t period_ns) {
  const Lock lock;
  if (g_timers.by_thread == nullptr)
    g_timers.by_thread = new std::unordered_map<pid_t, ThreadTimer>;
  if (g_timers.signal == 0) {
    const int number = FindFreeSignal(0);
    if (number == 0 || !InstallCpuHandler(number))
      return 0;
    g_timers.signal = number;
  }
  g_timers.period_ns = period_ns;
  SetCpuPeriod(period_ns);
  g_timers.is_running = true;
  return g_timers.signal;
}

void StopCpuTimers() {
  const Lock lock;
  g_timers.is_running = false;
  if (g_timers.by_thread == nullptr)
    return;
  for (const auto& [tid, timer] : *g_timers.by_thread)
    DeleteTimer(timer.timer);
  g_timers.by_thread->clear();
}

void RegisterThread() {
  const Lock lock;
  if (!g_timers.is_running || t_thread.is_registered)
    return;
  const pid_t tid = ThreadId();
  if (const auto known = g_timers.by_thread->find(tid); known != g_timers.by_thread->end())
    DeleteTimer(known->second.timer);
  AddTimer(tid, StartTimeOf(tid));
  t_thread.is_registered = true;
  Unblock(g_timers.signal);
}

void UnregisterThread() {
  const Lock lock;
  t_thread.is_registered = false;
  if (g_timers.by_thread == nullptr)
    return;
  if (const auto known = g_timers.by_thread->find(ThreadId()); known != g_timers.by_thread->end()) {
    DeleteTimer(known->second.timer);
    g_timers.by_thread->erase(known);
  }
}

void ScanThreads(pid_t own, bool checks_reuse) {
  const Lock lock;
  if (!g_timers.is_running)
    return;
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr)
    return;
  std::unordered_map<pid_t, ThreadTimer> gone;
  gone.swap(*g_timers.by_thread);
  while (const dirent* const entry = readdir(folder)) {
    const auto tid = static_cast<pid_t>(std::atoi(entry->d_name));
    if (tid <= 0 || tid == own)
      continue;
    const auto known = gone.find(tid);
    const bool is_known = known != gone.end();
    const uint64_t start_time =
        is_known && !checks_reuse ? known->second.start_time : StartTimeOf(tid);
    if (is_known && known->second.start_time == start_time) {
      g_timers.by_thread->insert(*known);
      gone.erase(known);
    } else if (start_time != 0) {
      AddTimer(tid, start_time);
    }
  }
  closedir(folder);
  for (const auto& [tid, timer] : gone)
    DeleteTimer(timer.timer);
}

int CpuSignal() { return g_timers.signal; }

bool ReleaseCpuSignal() {
  const Lock lock;
  const int old = g_timers.signal;
  g_timers.signal = FindFreeSignal(old);
  const bool has_signal = g_timers.signal != 0 && InstallCpuHandler(g_timers.signal);
  for (auto& [tid, timer] : *g_timers.by_thread) {
    DeleteTimer(timer.timer);
    timer.timer = has_signal ? MakeTimer(tid, FirstExpiry(tid)) : -1;
  }
  if (!has_signal)
    g_timers.is_running = false;
  return has_signal;
}

void LockTimersForFork() { pthread_mutex_lock(&g_timers.mutex); }
void UnlockTimersInParent() { pthread_mutex_unlock(&g_timers.mutex); }
void UnlockTimersInChild() {
  if (g_timers.by_thread != nullptr)
    g_timers.by_thread->clear();
  pthread_mutex_unlock(&g_timers.mutex);
}

}  // namespace flarestack::sdk
