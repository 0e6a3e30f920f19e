// SPDX-License-Identifier: Apache-2.0
//
// What libflarestack_preload.so adds to the library: it starts by itself, from the environment, and
// exports the rest when the program exits.
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "flarestack/profiler_c.h"

namespace {

constexpr uint32_t kExitTimeoutMs = 3'000;

void StopAtExit() { flarestack_profiler_stop(kExitTimeoutMs); }

__attribute__((constructor)) void StartByItself() {
  // A program with more rights than its user is none of the user's business.
  if (getauxval(AT_SECURE) != 0)
    return;
  if (flarestack_profiler_start(nullptr) != 0 || *flarestack_profiler_error() != '\0')
    dprintf(STDERR_FILENO, "flarestack: %s\n", flarestack_profiler_error());
  // Before the destructors of the program's libraries, which may still run code.
  std::atexit(StopAtExit);
}

}  // namespace
