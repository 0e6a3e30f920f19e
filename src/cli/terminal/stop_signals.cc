// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/stop_signals.h"

#include <pthread.h>

#include <atomic>
#include <cerrno>

namespace flarestack::cli {
namespace {

std::atomic<pthread_t> g_waiter;
static_assert(std::atomic<pthread_t>::is_always_lock_free, "a signal handler reads it");

// Runs in a thread that does not block the signal. The waiting thread blocks it, so it becomes
// pending there and ends the wait.
void ForwardSignal(int signal) {
  const int error = errno;
  pthread_kill(g_waiter.load(), signal);
  errno = error;
}

volatile std::sig_atomic_t g_signal = 0;

void Note(int signal) { g_signal = signal; }

}  // namespace

StopSignals::StopSignals(std::initializer_list<int> more) {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  for (const int signal : more)
    sigaddset(&signals_, signal);
  g_waiter = pthread_self();
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  HandleBy(ForwardSignal);
}

int StopSignals::Wait() const {
  int signal = 0;
  sigwait(&signals_, &signal);
  return signal;
}

bool StopSignals::WaitFor(std::chrono::nanoseconds time) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const timespec limit = {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
  int signal = -1;
  do {
    signal = sigtimedwait(&signals_, nullptr, &limit);
  } while (signal < 0 && errno == EINTR);
  return signal > 0;
}

void StopSignals::Release() const {
  HandleBy(SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
}

void StopSignals::HandleBy(void (*handler)(int)) const {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&signals_, signal) == 1)
      sigaction(signal, &action, nullptr);
  }
}

StopRequest::StopRequest() {
  g_signal = 0;
  struct sigaction note = {};
  note.sa_handler = Note;
  sigemptyset(&note.sa_mask);
  sigaction(SIGINT, &note, &interrupt_before_);
  sigaction(SIGTERM, &note, &terminate_before_);
  sigaction(SIGHUP, nullptr, &hang_up_before_);
  if (hang_up_before_.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &note, nullptr);
}

StopRequest::~StopRequest() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
  sigaction(SIGHUP, &hang_up_before_, nullptr);
}

int StopRequest::signal() const { return g_signal; }

}  // namespace flarestack::cli
