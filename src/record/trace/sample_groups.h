// SPDX-License-Identifier: Apache-2.0
//
// Groups the samples of a window by resource. One resource per process creates thousands of series
// on a host with many short-lived processes, so processes of the same service, executable and
// container share one unless the user requests kProcess.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "record/process/process_resource.h"
#include "record/trace/sample_collector.h"

namespace flarestack::record::agent {

enum class Grouping : uint8_t {
  kProcess,     // one resource per process, with its process.pid
  kExecutable,  // one resource per set of attributes; samples have process.pid
};

using SampleEntry = std::pair<const SampleKey, SampleTimes>;

struct SampleGroup {
  std::shared_ptr<const ResourceAttributes> attributes;
  const ProcessResource* process = nullptr;  // null if several processes may share the resource
  std::vector<const SampleEntry*> entries;   // sorted by time; never empty
};

struct SampleGroups {
  std::vector<SampleGroup> groups;  // in the order in which their first processes were seen
  uint64_t process_count = 0;       // that have samples
  uint64_t merged_count = 0;        // part of process_count, in a merged group for lack of space
};

// Beyond `groups_max`, merges the groups with the fewest samples, per container, into a group with
// the service name "other". With kProcess nothing is merged. `window` must outlive the result.
SampleGroups GroupSamples(const SampleWindow& window, Grouping grouping, size_t groups_max = 200);

}  // namespace flarestack::record::agent
