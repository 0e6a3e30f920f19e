// SPDX-License-Identifier: Apache-2.0
//
// Individual samples in time order and by lane: the activity of each thread over time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/data/data_source.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

struct EventsOptions {
  std::vector<std::string> lane_keys = {"thread.name", "thread.id"};
  size_t events_max = 10'000;
};

struct Event {
  uint64_t time_nanos = 0;
  int64_t value = 0;
  uint32_t lane = 0;   // in Events::lanes
  uint32_t stack = 0;  // in Events::stacks
};

struct Events {
  std::string type;
  std::string unit;
  std::vector<std::string> lanes;  // sorted
  std::vector<std::string> functions;
  std::vector<std::string> function_types;    // profile.frame.type, by function; may be empty
  std::vector<std::string> function_modules;  // by function; may be empty
  std::vector<std::vector<uint32_t>> stacks;  // of functions, root first
  std::vector<Event> events;                  // by time, then lane
  uint64_t event_count = 0;                   // including omitted ones
  uint64_t timeless_count = 0;  // events without a timestamp, which use the profile's time
  uint64_t next_nanos = 0;      // where to continue; 0: no more
  int64_t total_before_filter = 0;
  ReadExtent extent;
};

absl::StatusOr<Events> ReadEvents(const DataSource& source, const ProfileScope& scope,
                                  const EventsOptions& options, const ReadLimits& limits);

}  // namespace flarestack::query
