// SPDX-License-Identifier: Apache-2.0
//
// Which samples of a window share a resource. One resource for each process makes thousands of
// series on a host where short processes come and go, so processes of the same service, executable
// and container share one unless the user asks otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "record/process/process_resource.h"
#include "record/trace/sample_collector.h"

namespace flarestack::record::agent {

enum class Grouping : uint8_t {
  kProcess,     // one resource for each process, with its process.pid
  kExecutable,  // one for all that have the same attributes; samples have process.pid
};

using SampleEntry = std::pair<const SampleKey, SampleTimes>;

struct SampleGroup {
  std::shared_ptr<const ResourceAttributes> attributes;
  const ProcessResource* process = nullptr;  // null where several may share the resource
  std::vector<const SampleEntry*> entries;   // by time; never empty
};

struct SampleGroups {
  std::vector<SampleGroup> groups;  // in the order in which their first processes were seen
  uint64_t process_count = 0;       // that have samples
  uint64_t merged_count = 0;        // of these, in a group of others for want of room
};

// Beyond `groups_max` the groups with the fewest samples are merged, those of each container into
// one of the service "other". Processes are not merged with kProcess. `window` must outlive the
// result.
SampleGroups GroupSamples(const SampleWindow& window, Grouping grouping, size_t groups_max = 200);

}  // namespace flarestack::record::agent
