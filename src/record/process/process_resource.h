// SPDX-License-Identifier: Apache-2.0
//
// Who a process is, as attributes of a resource: its service, its executable, its container, and
// what it tells about itself (process context). Asked when its first sample arrives, since it may
// be gone when the samples are sent.
//
// Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "record/process/cgroup_paths.h"
#include "record/process/otel_variables.h"
#include "record/process/process_context.h"
#include "record/process/script_ancestors.h"

namespace flarestack::record::agent {

using ResourceAttributes = std::vector<TextAttribute>;

struct ProcessResource {
  pid_t pid = 0;
  // What all processes of the same service, executable and container have, sorted by key, none
  // twice. Equal ones are the same object.
  std::shared_ptr<const ResourceAttributes> group;
  ResourceAttributes own;  // of this process alone, besides process.pid
  // What the process published, and its keys for the attributes of threads.
  std::shared_ptr<const ProcessContext> context;
};

// What is known of a process besides /proc. Asked with each sample, so its texts are views.
struct ProcessIdentity {
  pid_t pid = 0;
  pid_t parent = 0;  // that started it; 0: not known
  uint64_t generation = 0;
  uint64_t start_time_ns = 0;
  uint64_t cgroup_id = 0;
  std::string_view command;
  std::string_view executable;
  bool is_former = false;  // it runs another program by now, and /proc describes that one
};

class ProcessResources {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ProcessResources();

  // The same object until something about the process changes.
  std::shared_ptr<const ProcessResource> Of(const ProcessIdentity& identity, Time now);

  // Forgets processes that were not asked for since the last call.
  void Sweep();

  size_t group_count() const { return groups_.size(); }

 private:
  struct Entry {
    uint64_t generation = 0;
    uint64_t start_time_ns = 0;
    std::shared_ptr<const ProcessResource> resource;
    bool has_executable = false;
    KnownContext known;
    Time next_look{};  // whether it has published something by now
    std::chrono::milliseconds pause{0};
    Time own_name_at = Time::max();  // when it is no helper of its starter any more
    bool is_used = true;
  };

  std::shared_ptr<const ProcessResource> OfFormer(const ProcessIdentity& identity, Time now);
  void Make(const ProcessIdentity& identity, std::shared_ptr<const ProcessContext> context,
            Entry* entry, Time now);
  std::string StarterOf(const ProcessIdentity& identity, std::string_view executable, Entry* entry,
                        Time now);
  std::shared_ptr<const ResourceAttributes> Group(ResourceAttributes attributes);
  void LookForContext(const ProcessIdentity& identity, Entry* entry, Time now);

  CgroupPaths cgroups_;
  ScriptAncestors ancestors_;
  // By a hash of all that they are, which no two share.
  absl::flat_hash_map<std::pair<uint64_t, uint64_t>, std::shared_ptr<const ResourceAttributes>>
      groups_;
  absl::flat_hash_map<pid_t, Entry> entries_;
  absl::flat_hash_map<uint64_t, Entry> formers_;  // by generation
};

// host.name, host.id, host.arch and os.type of this machine.
std::vector<TextAttribute> HostAttributes();

}  // namespace flarestack::record::agent
