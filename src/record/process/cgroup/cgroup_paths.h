// SPDX-License-Identifier: Apache-2.0
//
// Maps the id of a cgroup (version 2) in a sample to its path. Preferred over /proc/PID/cgroup,
// because a process may exit before that is read. With privileges, the kernel opens a cgroup by its
// id; without them, the tree is walked when an id is first seen. Ids are never reused, so cached
// results stay correct, including unknown ids.
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
#include "base/file/descriptor.h"

namespace flarestack::record::agent {

class CgroupPaths {
 public:
  struct Limits {
    size_t paths_max = 1 << 16;  // cached; above this, the cache is cleared
    size_t walk_max = 1 << 16;   // cgroups visited by one walk
  };

  // `root` is the mount point of the tree; if it is empty, nothing is ever found.
  explicit CgroupPaths(std::string root) : CgroupPaths(std::move(root), Limits()) {}
  CgroupPaths(std::string root, const Limits& limits);

  // Returns the path from the root of the visible tree, "/" for the root itself. Returns nullopt
  // for a cgroup that is gone or outside of our cgroup namespace.
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

// Finds the mount point of the version 2 tree in the text of /proc/self/mountinfo. Empty if it is
// not mounted.
std::string FindCgroupRoot(std::string_view mountinfo);
std::string FindCgroupRoot();

// Returns the most informative path in the text of /proc/PID/cgroup: one with a container before
// one without, version 2 before version 1. Returns "/" if no line is informative.
std::string ChooseCgroupPath(std::string_view proc_cgroup);

absl::StatusOr<std::string> CgroupPathOfProcess(pid_t pid);

}  // namespace flarestack::record::agent
