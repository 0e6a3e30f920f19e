// SPDX-License-Identifier: Apache-2.0
//
// Collects the samples of a `perf script` text by event, and makes a profile of each event.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/warnings.h"
#include "codec/perfscript/perf_script_line.h"
#include "model/builder/batch_builder.h"

namespace flarestack::codec::perfscript {

class EventCollector {
 public:
  // Both must outlive this object.
  EventCollector(model::BatchBuilder* builder, base::Warnings* warnings)
      : builder_(*builder), warnings_(*warnings) {}

  void Add(const Header& header, model::StackIndex stack);

  // Writes one profile per event to the builder, in the order of first appearance. Call it once.
  void AddProfiles(model::ScopeId scope);

 private:
  // Samples with the same stack, thread and CPU become one OTLP sample; they differ only in times
  // and values.
  struct Group {
    model::StackIndex stack;
    model::Slice attributes;
    std::vector<int64_t> values;       // one per timestamp, or only the sum if perf printed no time
    std::vector<uint64_t> timestamps;  // ns since boot
  };
  struct Event {
    std::string name;
    bool has_periods = false;
    std::vector<Group> groups;
    int64_t period = 0;  // of the first sample
    bool is_period_constant = true;
    uint64_t time_min_ns = std::numeric_limits<uint64_t>::max();
    uint64_t time_max_ns = 0;
  };
  struct GroupKey {
    uint32_t event = 0;
    uint32_t stack = 0;
    uint32_t task = 0;
    bool has_time = false;
    friend bool operator==(const GroupKey&, const GroupKey&) = default;

    template <typename H>
    friend H AbslHashValue(H h, const GroupKey& key) {
      return H::combine(std::move(h), key.event, key.stack, key.task, key.has_time);
    }
  };

  uint32_t EventOf(const Header& header);
  uint32_t TaskOf(const Header& header);
  void AddProfile(model::ScopeId scope, const Event& event);

  model::BatchBuilder& builder_;
  base::Warnings& warnings_;
  std::vector<Event> events_;
  bool has_cpu_profile_ = false;
  std::vector<model::Slice> tasks_;  // attribute lists, each distinct set once
  absl::flat_hash_map<std::pair<std::string, bool>, uint32_t> event_positions_;
  absl::flat_hash_map<std::vector<uint32_t>, uint32_t> task_positions_;
  absl::flat_hash_map<GroupKey, uint32_t> group_positions_;  // in the event's groups
  std::vector<model::AttributeIndex> attributes_;            // scratch
};

}  // namespace flarestack::codec::perfscript
