// SPDX-License-Identifier: Apache-2.0
//
// FLARE_CHECK is for impossible conditions. It is always on and aborts with the condition and the
// given values. Input must never trigger one; bad input gets an error status.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/text/text.h"

namespace flarestack::base {

[[noreturn]] inline void FailCheck(const char* file, int line, const std::string& message) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, message.c_str());
  std::abort();
}

}  // namespace flarestack::base

#define FLARE_CHECK(condition, ...)                                               \
  do {                                                                            \
    if (!(condition)) {                                                           \
      ::flarestack::base::FailCheck(                                              \
          __FILE__, __LINE__,                                                     \
          ::flarestack::base::StrCat(#condition " " __VA_OPT__(, ) __VA_ARGS__)); \
    }                                                                             \
  } while (false)
