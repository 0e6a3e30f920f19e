// SPDX-License-Identifier: Apache-2.0
#include "sdk/cpu/cpu_handler_signal.h"

#include <signal.h>

#include <atomic>
#include <cerrno>

#include "sdk/pause_signal.h"
#include "sdk/real_functions.h"
#include "sdk/sample/capture_signal.h"

namespace flarestack::sdk {
namespace {

std::atomic<uint64_t> g_period_ns = 0;

void OnCpuTime(int, siginfo_t* info, void* context) {
  if (info->si_code != SI_TIMER || info->si_value.sival_ptr != CpuTimerMark() || IsPaused())
    return;
  const int saved_errno = errno;
  const auto ticks = 1 + static_cast<uint64_t>(info->si_overrun > 0 ? info->si_overrun : 0);
  // Relaxed: it changes only while no timer runs.
  const uint64_t period_ns = g_period_ns.load(std::memory_order_relaxed);
  CaptureSample(
      RegistersOf(context),
      {.kind = SampleKind::kCpu, .value = ticks * period_ns, .weight = static_cast<double>(ticks)});
  errno = saved_errno;
}

}  // namespace

bool InstallCpuHandler(int number) {
  struct sigaction action = {};
  action.sa_sigaction = OnCpuTime;
  // On the alternate stack if the thread has one: programs with small stacks of their own set it.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  return RealSigaction(number, &action, nullptr) == 0;
}

void SetCpuPeriod(uint64_t period_ns) { g_period_ns.store(period_ns, std::memory_order_relaxed); }

void* CpuTimerMark() { return &g_period_ns; }

}  // namespace flarestack::sdk
