// SPDX-License-Identifier: Apache-2.0
//
// Describes processes as resource attributes: service, executable, container, and the process
// context they publish. Attributes are read when the first sample of a process arrives, because it
// may be gone when samples are sent.
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
#include "record/process/cgroup/cgroup_paths.h"
#include "record/process/context/process_context.h"
#include "record/process/proc/process_list.h"
#include "record/process/service/otel_variables.h"
#include "record/process/service/script_ancestors.h"

namespace flarestack::record::agent {

using ResourceAttributes = std::vector<TextAttribute>;

struct ProcessResource {
  pid_t pid = 0;
  // The attributes shared by all processes of the same service, executable and container, sorted by
  // key, without duplicates. Equal groups are the same object.
  std::shared_ptr<const ResourceAttributes> group;
  ResourceAttributes own;  // specific to this process, in addition to process.pid
  // The published context, including the keys of thread attributes.
  std::shared_ptr<const ProcessContext> context;
};

// Known facts about a process in addition to /proc. Passed with each sample, so its strings are
// views.
struct ProcessIdentity {
  pid_t pid = 0;
  pid_t parent = 0;  // 0: unknown
  uint64_t generation = 0;
  uint64_t start_time_ns = 0;
  uint64_t cgroup_id = 0;
  std::string_view command;
  std::string_view executable;
  std::string_view runtime_name;  // of its language, "cpython"; empty while unknown
  std::string_view runtime_version;
  bool is_former = false;  // the process has called exec since, and /proc describes the new program
};

class ProcessResources {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ProcessResources();

  // Returns the same object until something about the process changes. Attributes of its runtime
  // are added to the object once they are known.
  std::shared_ptr<const ProcessResource> Of(const ProcessIdentity& identity, Time now);

  // Drops processes that were not requested since the last call.
  void Sweep();

  size_t group_count() const { return groups_.size(); }

 private:
  struct Entry {
    uint64_t generation = 0;
    uint64_t start_time_ns = 0;
    std::shared_ptr<ProcessResource> resource;
    bool has_executable = false;
    bool has_runtime = false;
    KnownContext known;
    Time next_look{};  // for a newly published context
    std::chrono::milliseconds pause{0};
    Time own_name_at = Time::max();  // when it stops counting as a helper of its script
    bool is_used = true;
  };

  std::shared_ptr<const ProcessResource> OfFormer(const ProcessIdentity& identity, Time now);
  void Make(const ProcessIdentity& identity, std::shared_ptr<const ProcessContext> context,
            Entry* entry, Time now);
  std::string StarterOf(const ProcessIdentity& identity, const ProcessTexts& texts, Entry* entry,
                        Time now);
  void AddRuntimeLater(const ProcessIdentity& identity, Entry* entry);
  std::shared_ptr<const ResourceAttributes> Group(ResourceAttributes attributes);
  void LookForContext(const ProcessIdentity& identity, Entry* entry, Time now);

  CgroupPaths cgroups_;
  ScriptAncestors ancestors_;
  // By a 128-bit hash of their content, assumed unique.
  absl::flat_hash_map<std::pair<uint64_t, uint64_t>, std::shared_ptr<const ResourceAttributes>>
      groups_;
  absl::flat_hash_map<pid_t, Entry> entries_;
  absl::flat_hash_map<uint64_t, Entry> formers_;  // by generation
};

// host.name, host.id, host.arch and os.type of this machine.
std::vector<TextAttribute> HostAttributes();

}  // namespace flarestack::record::agent
