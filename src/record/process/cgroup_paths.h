// SPDX-License-Identifier: Apache-2.0
//
// From the number of a cgroup (version 2), which a sample has, to its path. Better than to ask
// /proc/PID/cgroup: a process may have ended before anybody asked. The kernel opens a cgroup by its
// number for those who may; for others the tree is walked when a number is met for the first time.
// A number is never used twice, so what is known stays right, also that a number is unknown.
//
// Used by one thread at a time.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"

namespace flarestack::record::agent {

class CgroupPaths {
 public:
  struct Limits {
    size_t paths_max = 1 << 16;  // kept; above, all are forgotten and found anew
    size_t walk_max = 1 << 16;   // cgroups that one walk looks at
  };

  // `root` is where the tree is mounted; without one, nothing is ever found.
  explicit CgroupPaths(std::string root) : CgroupPaths(std::move(root), Limits()) {}
  CgroupPaths(std::string root, const Limits& limits);

  // From the root of the tree as we see it, "/" for the root itself. Nothing for a cgroup that is
  // gone or outside of our cgroup namespace.
  std::optional<std::string> Find(uint64_t cgroup_id);

 private:
  std::optional<std::string> OpenByNumber(uint64_t cgroup_id) const;
  void Walk();
  void Keep(uint64_t cgroup_id, std::string path);

  std::string root_;
  Limits limits_;
  base::Descriptor root_folder_;
  absl::flat_hash_map<uint64_t, std::string> paths_;
  absl::flat_hash_set<uint64_t> unknown_;
};

// Where the tree of version 2 is mounted, out of the text of /proc/self/mountinfo. Empty when it is
// not.
std::string FindCgroupRoot(std::string_view mountinfo);
std::string FindCgroupRoot();

// The path that says most, out of the text of /proc/PID/cgroup: with a container before one
// without, version 2 before version 1. "/" when no line says anything.
std::string ChooseCgroupPath(std::string_view proc_cgroup);

absl::StatusOr<std::string> CgroupPathOfProcess(pid_t pid);

}  // namespace flarestack::record::agent
