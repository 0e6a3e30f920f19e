// SPDX-License-Identifier: Apache-2.0
#include "sdk/thread_state.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace flarestack::sdk {

thread_local constinit ThreadState t_thread;

pid_t ThreadId() {
  if (t_thread.tid == 0)
    t_thread.tid = static_cast<pid_t>(syscall(SYS_gettid));
  return t_thread.tid;
}

void ResetThreadAfterFork() {
  t_thread.tid = 0;
  t_thread.is_registered = false;
}

}  // namespace flarestack::sdk
