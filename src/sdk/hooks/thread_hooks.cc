// SPDX-License-Identifier: Apache-2.0
//
// pthread_create: each new thread gets its timer before its function runs. sigaction and signal: a
// program that handles the profiling signal itself gets it, and the profiler takes another one.
// pthread_sigmask and sigprocmask: threads that block all signals do not block that of the
// profiler.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <cstdlib>

#include "sdk/cpu/cpu_timers.h"
#include "sdk/hooks.h"
#include "sdk/real_functions.h"
#include "sdk/thread_state.h"

namespace flarestack::sdk {
namespace {

struct ThreadStart {
  void* (*function)(void*);
  void* argument;
};

pthread_key_t g_end_key;
pthread_once_t g_end_once = PTHREAD_ONCE_INIT;

// Ends with the thread however it ends: by return, pthread_exit() or cancellation.
void UnregisterAtEnd() {
  pthread_once(&g_end_once,
               [] { pthread_key_create(&g_end_key, [](void*) { UnregisterThread(); }); });
  pthread_setspecific(g_end_key, &g_end_key);
}

void* RunThread(void* data) {
  ThreadStart start;
  {
    const InsideScope inside;
    start = *static_cast<ThreadStart*>(data);
    std::free(data);
    RegisterThread();
    UnregisterAtEnd();
  }
  return start.function(start.argument);
}

// The program installs a handler.
void GiveUpSignal(int number) {
  if (number != 0 && number == CpuSignal())
    ReleaseCpuSignal();
}

// Returns the set without the profiling signal, which the caller's `copy` then holds.
const sigset_t* WithoutCpuSignal(int how, const sigset_t* set, sigset_t* copy) {
  const int number = CpuSignal();
  if (set == nullptr || number == 0 || how == SIG_UNBLOCK || t_thread.inside > 0)
    return set;
  *copy = *set;
  sigdelset(copy, number);
  return copy;
}

}  // namespace

bool ThreadHooksWork() {
  return dlsym(RTLD_DEFAULT, "pthread_create") == reinterpret_cast<void*>(&pthread_create);
}

}  // namespace flarestack::sdk

#define FLARESTACK_HOOK extern "C" __attribute__((weak, visibility("default")))

FLARESTACK_HOOK int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                   void* (*function)(void*), void* argument) noexcept {
  using flarestack::sdk::ThreadStart;
  const auto* const real = flarestack::sdk::FindRealFunctions();
  if (real == nullptr || real->pthread_create == nullptr)
    return EAGAIN;
  if (flarestack::sdk::CpuSignal() == 0 || flarestack::sdk::t_thread.inside > 0)
    return real->pthread_create(thread, attributes, function, argument);
  ThreadStart* start = nullptr;
  {
    const flarestack::sdk::InsideScope inside;
    start = static_cast<ThreadStart*>(std::malloc(sizeof(ThreadStart)));
  }
  if (start == nullptr)
    return EAGAIN;
  *start = {.function = function, .argument = argument};
  const int error = real->pthread_create(thread, attributes, flarestack::sdk::RunThread, start);
  if (error != 0) {
    const flarestack::sdk::InsideScope inside;
    std::free(start);
  }
  return error;
}

FLARESTACK_HOOK int sigaction(int number, const struct sigaction* action,
                              struct sigaction* old) noexcept {
  if (action != nullptr && action->sa_handler != SIG_DFL)
    flarestack::sdk::GiveUpSignal(number);
  if (number != 0 && number == flarestack::sdk::CpuSignal()) {
    // The program neither sees nor removes the profiler's handler.
    if (old != nullptr)
      *old = {};
    return 0;
  }
  return flarestack::sdk::RealSigaction(number, action, old);
}

FLARESTACK_HOOK sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (handler != SIG_DFL)
    flarestack::sdk::GiveUpSignal(number);
  if (number != 0 && number == flarestack::sdk::CpuSignal())
    return SIG_DFL;
  const auto* const real = flarestack::sdk::FindRealFunctions();
  return real == nullptr || real->signal == nullptr ? SIG_ERR : real->signal(number, handler);
}

FLARESTACK_HOOK int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  const auto* const real = flarestack::sdk::FindRealFunctions();
  if (real == nullptr || real->pthread_sigmask == nullptr)
    return EINVAL;
  sigset_t copy;
  return real->pthread_sigmask(how, flarestack::sdk::WithoutCpuSignal(how, set, &copy), old);
}

FLARESTACK_HOOK int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  const auto* const real = flarestack::sdk::FindRealFunctions();
  if (real == nullptr || real->sigprocmask == nullptr) {
    errno = EINVAL;
    return -1;
  }
  sigset_t copy;
  return real->sigprocmask(how, flarestack::sdk::WithoutCpuSignal(how, set, &copy), old);
}
