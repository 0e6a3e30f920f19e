// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/counted_event.h"

#include <linux/perf_event.h>

#include <algorithm>

#include "base/text/text.h"

namespace flarestack::record::agent {
namespace {

constexpr CountedEvent kEvents[] = {
    {"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"alignment-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
};

}  // namespace

const CountedEvent* FindCountedEvent(std::string_view name) {
  const auto found = std::find_if(std::begin(kEvents), std::end(kEvents), [&](const auto& event) {
    return !name.empty() && (event.name == name || event.alias == name);
  });
  return found == std::end(kEvents) ? nullptr : found;
}

std::string CountedEventNames() {
  std::string names;
  for (const CountedEvent& event : kEvents)
    base::StrAppend(&names, names.empty() ? "" : ", ", event.name);
  return names;
}

}  // namespace flarestack::record::agent
