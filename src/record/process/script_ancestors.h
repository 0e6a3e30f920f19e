// SPDX-License-Identifier: Apache-2.0
//
// What started a process: the script above it, when there are only shells in between. Programs such
// as cut and basename that a script runs are part of what the script does.
//
// Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "absl/container/flat_hash_map.h"

namespace flarestack::record::agent {

struct Starter {
  std::string script;      // as ScriptName has it; empty when no script started it
  std::string executable;  // name of the nearest ancestor's file that is not in memory alone
};

class ScriptAncestors {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // What started `pid`, whose parent is `parent`; 0 where that is not known. Ancestors that have
  // ended are not found. An answer may be a second old.
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
