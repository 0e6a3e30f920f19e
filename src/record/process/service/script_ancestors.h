// SPDX-License-Identifier: Apache-2.0
//
// Finds the script that started a process, if there are only shells in between. Programs such as
// cut and basename that a script runs count as part of the script.
//
// Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "absl/container/flat_hash_map.h"

namespace flarestack::record::agent {

struct Starter {
  std::string script;      // the name of its application or script; empty if no script started it
  std::string executable;  // executable name of the nearest ancestor that is not a memfd
};

class ScriptAncestors {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Finds the starter of `pid`, whose parent is `parent`; 0 if unknown. Ancestors that have exited
  // are not found. Results may be a second old.
  Starter Find(pid_t pid, pid_t parent, Time now);

 private:
  struct Ancestor {
    std::string script;
    std::string executable;
    bool is_shell = false;
    pid_t parent = 0;
    Time read_at;
  };

  const Ancestor& Read(pid_t pid, Time now);

  absl::flat_hash_map<pid_t, Ancestor> ancestors_;
};

}  // namespace flarestack::record::agent
