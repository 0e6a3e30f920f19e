// SPDX-License-Identifier: Apache-2.0
#include "sdk/export/profile_builder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sdk/heap/live_table_signal.h"
#include "sdk/version.h"

namespace flarestack::sdk {
namespace {

constexpr size_t kEventsMax = 200'000;
constexpr size_t kDictionaryBytesMax = 4 << 20;

ProtoWriter TextAttribute(std::string_view key, std::string_view value) {
  ProtoWriter any;
  any.Bytes(1, value);
  ProtoWriter attribute;
  attribute.Bytes(1, key);
  attribute.Message(2, any);
  return attribute;
}

ProtoWriter NumberAttribute(std::string_view key, int64_t value) {
  ProtoWriter any;
  any.Varint(3, static_cast<uint64_t>(value));
  ProtoWriter attribute;
  attribute.Bytes(1, key);
  attribute.Message(2, any);
  return attribute;
}

// Whole numbers whose sum stays that of the fractions.
class Rounding {
 public:
  int64_t Round(double value) {
    exact_ += value;
    const auto rounded = static_cast<int64_t>(std::llround(exact_ - static_cast<double>(sum_)));
    sum_ += rounded;
    return rounded;
  }

 private:
  double exact_ = 0;
  int64_t sum_ = 0;
};

// What the profiles of a kind add up.
double ValueOf(SampleKind kind, std::string_view unit, double value, double weight) {
  if (kind != SampleKind::kAllocation)
    return value;
  return unit == "bytes" ? value * weight : weight;
}

size_t SkippedFrames(SampleKind kind) {
  return kind == SampleKind::kAllocation ? 1 : 0;  // the hook
}

}  // namespace

void ProfileBuilder::UseModules(std::vector<std::shared_ptr<const Module>> modules) {
  modules_ = modules;
  dictionary_->UseModules(std::move(modules));
}

std::string_view ProfileBuilder::ThreadName(pid_t tid) {
  const auto [place, is_new] = thread_names_.try_emplace(tid);
  if (is_new) {
    std::array<char, 64> path;
    std::snprintf(path.data(), path.size(), "/proc/self/task/%d/comm", static_cast<int>(tid));
    if (const int file = open(path.data(), O_RDONLY | O_CLOEXEC); file >= 0) {
      std::array<char, 32> name;
      const ssize_t bytes = read(file, name.data(), name.size());
      close(file);
      if (bytes > 1)
        place->second.assign(name.data(), static_cast<size_t>(bytes) - 1);  // without line end
    }
  }
  return place->second;
}

std::vector<uint32_t> ProfileBuilder::AttributesOf(const Sample& sample) {
  std::vector<uint32_t> attributes = {dictionary_->NumberAttribute("thread.id", sample.facts.tid)};
  if (const std::string_view name = ThreadName(sample.facts.tid); !name.empty())
    attributes.push_back(dictionary_->TextAttribute("thread.name", name));
  std::span<const uint8_t> labels = sample.context.labels;
  while (labels.size() >= 2 && labels.size() - 2 >= labels[1]) {
    const std::string_view value = {reinterpret_cast<const char*>(labels.data() + 2), labels[1]};
    if (labels[0] < label_keys_.size())
      attributes.push_back(dictionary_->TextAttribute(label_keys_[labels[0]], value));
    labels = labels.subspan(size_t{2} + labels[1]);
  }
  return attributes;
}

void ProfileBuilder::Add(const Sample& sample) {
  const SampleFacts& facts = sample.facts;
  const size_t skipped = SkippedFrames(facts.kind);
  if (facts.live.generation != 0) {
    live_[facts.live.index] = {.generation = facts.live.generation,
                               .bytes = facts.value,
                               .weight = facts.weight,
                               .walk_end = facts.walk_end,
                               .frames = {sample.frames.begin(), sample.frames.end()}};
  }
  if (facts.kind == SampleKind::kAllocation && !config_.types.allocations)
    return;
  const uint32_t stack = dictionary_->Stack(sample.frames, skipped, facts.walk_end);
  Key key = {facts.kind, stack, AttributesOf(sample), dictionary_->Link(sample.context)};
  events_[std::move(key)].push_back(
      {.time_ns = facts.time_ns, .value = facts.value, .weight = facts.weight});
  ++event_count_;
}

bool ProfileBuilder::IsLarge() const {
  return event_count_ >= kEventsMax || dictionary_->bytes() >= kDictionaryBytesMax;
}

bool ProfileBuilder::Has(SampleKind kind) const {
  return std::ranges::any_of(events_,
                             [&](const auto& entry) { return std::get<0>(entry.first) == kind; });
}

void ProfileBuilder::WriteResource(ProtoWriter* resource) const {
  for (const auto& [key, value] : config_.resource)
    resource->Message(1, TextAttribute(key, value));
  resource->Message(1, NumberAttribute("process.pid", getpid()));
}

ProtoWriter ProfileBuilder::Head(std::string_view type, std::string_view unit) {
  const auto value_type = [&](std::string_view name, std::string_view name_unit) {
    ProtoWriter message;
    message.Varint(1, dictionary_->String(name));
    message.Varint(2, dictionary_->String(name_unit));
    return message;
  };
  ProtoWriter profile;
  profile.Message(1, value_type(type, unit));
  profile.Fixed64(3, begin_ns_);
  profile.Varint(4, end_ns_ - begin_ns_);
  if (type == "cpu") {
    profile.Message(5, value_type("cpu", "nanoseconds"));
    profile.Varint(6, config_.cpu_period_ns);
  } else if (type != "lost_samples") {
    profile.Message(5, value_type("space", "bytes"));
    profile.Varint(6, config_.allocation_mean_bytes);
  }
  return profile;
}

void ProfileBuilder::WriteEvents(SampleKind kind, std::string_view type, std::string_view unit,
                                 ProtoWriter* scope) {
  if (!Has(kind))
    return;
  ProtoWriter profile = Head(type, unit);
  Rounding rounding;
  std::vector<int64_t> values;
  std::vector<uint64_t> times;
  for (const auto& [key, events] : events_) {
    const auto& [event_kind, stack, attributes, link] = key;
    if (event_kind != kind)
      continue;
    values.clear();
    times.clear();
    for (const Event& event : events) {
      values.push_back(
          rounding.Round(ValueOf(kind, unit, static_cast<double>(event.value), event.weight)));
      times.push_back(event.time_ns);
    }
    ProtoWriter sample;
    sample.Varint(1, stack);
    sample.PackedVarints(2, attributes);
    if (link != 0)
      sample.Varint(3, link);
    sample.PackedVarints(4, values);
    sample.PackedFixed64(5, times);
    profile.Message(2, sample);
  }
  scope->Message(2, profile);
}

void ProfileBuilder::DropFreed() {
  std::erase_if(live_, [](const auto& entry) {
    return !IsLive({.index = entry.first, .generation = entry.second.generation});
  });
}

void ProfileBuilder::WriteLive(std::string_view type, std::string_view unit, ProtoWriter* scope) {
  std::map<uint32_t, double> by_stack;
  for (const auto& [slot, live] : live_) {
    const uint32_t stack =
        dictionary_->Stack(live.frames, SkippedFrames(SampleKind::kAllocation), live.walk_end);
    by_stack[stack] +=
        ValueOf(SampleKind::kAllocation, unit, static_cast<double>(live.bytes), live.weight);
  }
  ProtoWriter profile = Head(type, unit);
  Rounding rounding;
  for (const auto& [stack, sum] : by_stack) {
    ProtoWriter sample;
    sample.Varint(1, stack);
    sample.PackedVarints(4, std::vector<int64_t>{rounding.Round(sum)});
    profile.Message(2, sample);
  }
  scope->Message(2, profile);
}

void ProfileBuilder::WriteLosses(ProtoWriter* scope) {
  ProtoWriter sample;
  sample.Varint(1, dictionary_->NoteStack("[lost samples]"));
  sample.PackedVarints(4, std::vector<uint64_t>{lost_});
  ProtoWriter profile = Head("lost_samples", "count");
  profile.Message(2, sample);
  scope->Message(2, profile);
}

std::string ProfileBuilder::Finish(uint64_t begin_ns, uint64_t end_ns) {
  begin_ns_ = begin_ns;
  end_ns_ = end_ns;
  for (const auto& [key, events] : events_) {
    for (const Event& event : events) {
      begin_ns_ = std::min(begin_ns_, event.time_ns);
      end_ns_ = std::max(end_ns_, event.time_ns + 1);
    }
  }
  DropFreed();
  std::string message;
  if (!events_.empty() || !live_.empty() || lost_ > 0) {
    ProtoWriter scope;
    ProtoWriter about;
    about.Bytes(1, "flarestack");
    about.Bytes(2, kSdkVersion);
    scope.Message(1, about);
    WriteEvents(SampleKind::kCpu, "cpu", "nanoseconds", &scope);
    WriteEvents(SampleKind::kAllocation, "alloc_space", "bytes", &scope);
    WriteEvents(SampleKind::kAllocation, "alloc_objects", "count", &scope);
    if (!live_.empty()) {
      WriteLive("inuse_space", "bytes", &scope);
      WriteLive("inuse_objects", "count", &scope);
    }
    if (lost_ > 0)
      WriteLosses(&scope);
    ProtoWriter resource;
    WriteResource(&resource);
    ProtoWriter resource_profiles;
    resource_profiles.Message(1, resource);
    resource_profiles.Message(2, scope);
    ProtoWriter dictionary;
    dictionary_->WriteTo(&dictionary);
    ProtoWriter request;
    request.Message(1, resource_profiles);
    request.Message(2, dictionary);
    message = std::move(request).Take();
  }
  events_.clear();
  event_count_ = 0;
  lost_ = 0;
  thread_names_.clear();
  dictionary_.emplace();
  dictionary_->UseModules(modules_);
  return message;
}

}  // namespace flarestack::sdk
