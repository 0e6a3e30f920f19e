// SPDX-License-Identifier: Apache-2.0
#include "codec/perfscript/event_collector.h"

#include <algorithm>

#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::codec::perfscript {
namespace {

// The events whose period is nanoseconds of CPU time; modifiers may follow ("cpu-clock:u").
bool IsClock(std::string_view event) {
  const std::string_view name = event.substr(0, event.find(':'));
  return name == "cpu-clock" || name == "task-clock";
}

}  // namespace

void EventCollector::Add(const Header& header, model::StackIndex stack) {
  const GroupKey key = {.event = EventOf(header),
                        .stack = stack.value,
                        .task = TaskOf(header),
                        .has_time = header.time_ns.has_value()};
  Event& event = events_[key.event];
  const auto [it, added] =
      group_positions_.try_emplace(key, static_cast<uint32_t>(event.groups.size()));
  if (added) {
    event.groups.push_back(
        {.stack = stack, .attributes = tasks_[key.task], .values = {}, .timestamps = {}});
  }
  Group& group = event.groups[it->second];
  const int64_t value = header.period.value_or(1);
  if (key.has_time) {
    group.values.push_back(value);
    group.timestamps.push_back(*header.time_ns);
    event.time_min_ns = std::min(event.time_min_ns, *header.time_ns);
    event.time_max_ns = std::max(event.time_max_ns, *header.time_ns);
  } else if (added) {
    group.values.push_back(value);
  } else if (__builtin_add_overflow(group.values[0], value, &group.values[0])) {
    group.values[0] = std::numeric_limits<int64_t>::max();
    warnings_.Add("sum of periods does not fit into 63 bits", event.name);
  }
  if (event.period == 0) {
    event.period = value;
  }
  event.is_period_constant = event.is_period_constant && event.period == value;
}

uint32_t EventCollector::EventOf(const Header& header) {
  const bool has_period = header.period.has_value();
  const auto [it, added] = event_positions_.try_emplace(
      std::pair(std::string(header.event), has_period), static_cast<uint32_t>(events_.size()));
  if (added) {
    events_.push_back(
        {.name = base::ToValidUtf8(header.event), .has_periods = has_period, .groups = {}});
  }
  return it->second;
}

uint32_t EventCollector::TaskOf(const Header& header) {
  model::DictionaryBuilder& dictionary = builder_.dictionary();
  attributes_.clear();
  const auto add = [&](std::string_view key, const model::AnyValue& value) {
    attributes_.push_back(dictionary.Attribute(key, value));
  };
  if (!header.comm.empty()) {
    add("thread.name", model::AnyValue::String(base::ToValidUtf8(header.comm)));
  }
  if (header.pid.has_value()) {
    add("process.pid", model::AnyValue::Int(*header.pid));
  }
  if (header.tid.has_value()) {
    add("thread.id", model::AnyValue::Int(*header.tid));
  }
  if (header.cpu.has_value()) {
    add("cpu.logical_number", model::AnyValue::Int(*header.cpu));
  }
  std::vector<uint32_t> key;
  for (const model::AttributeIndex attribute : attributes_) {
    key.push_back(attribute.value);
  }
  const auto [it, added] =
      task_positions_.try_emplace(std::move(key), static_cast<uint32_t>(tasks_.size()));
  if (added) {
    tasks_.push_back(dictionary.AttributeList(attributes_));
  }
  return it->second;
}

void EventCollector::AddProfiles(model::ScopeId scope) {
  for (const Event& event : events_) {
    AddProfile(scope, event);
    if (event.time_max_ns > 0) {
      warnings_.Add("timestamps count from boot, as perf prints them", event.name);
    }
  }
}

void EventCollector::AddProfile(model::ScopeId scope, const Event& event) {
  model::DictionaryBuilder& dictionary = builder_.dictionary();
  const bool is_clock = event.has_periods && IsClock(event.name);
  std::string_view type = event.name.empty() ? "samples" : std::string_view(event.name);
  if (is_clock && !has_cpu_profile_) {
    // A second clock of the same run measured the same time again; with the same name, the two
    // would be summed.
    has_cpu_profile_ = true;
    type = "cpu";
  }
  model::Profile profile;
  profile.sample_type = {.type = dictionary.String(type),
                         .unit = dictionary.String(is_clock ? "nanoseconds" : "count")};
  if (event.has_periods && event.is_period_constant) {
    profile.period_type = profile.sample_type;
    profile.period = event.period;
  }
  if (event.time_min_ns <= event.time_max_ns) {
    // The end is exclusive, and the last sample belongs to the profile.
    profile.time_unix_nano = event.time_min_ns;
    profile.duration_nano = event.time_max_ns - event.time_min_ns + 1;
  }
  builder_.AddProfile(scope, profile);
  for (const Group& group : event.groups) {
    model::Sample sample;
    sample.stack = group.stack;
    sample.attributes = group.attributes;
    sample.timestamps = builder_.Timestamps(group.timestamps);
    if (event.has_periods || group.timestamps.empty()) {
      sample.values = builder_.Values(group.values);
    }
    builder_.AddSample(sample);
  }
}

}  // namespace flarestack::codec::perfscript
