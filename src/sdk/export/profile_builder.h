// SPDX-License-Identifier: Apache-2.0
//
// Adds up the samples of one export interval and writes them as an OTLP profiles message. Lives on
// the profiler's thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sdk/config.h"
#include "sdk/export/dictionary.h"
#include "sdk/sample/sample.h"

namespace flarestack::sdk {

class ProfileBuilder {
 public:
  // `label_keys` may grow later; labels with a key beyond it are dropped.
  ProfileBuilder(const Config& config, const std::vector<std::string>& label_keys)
      : config_(config), label_keys_(label_keys) {}

  void UseModules(std::vector<std::shared_ptr<const Module>> modules);
  void Add(const Sample& sample);
  void AddLosses(uint64_t count) { lost_ += count; }

  // Whether the interval should end early, because much was added.
  bool IsLarge() const;

  // The message of the interval, an ExportProfilesServiceRequest; empty if there is nothing to
  // report. Live allocations stay for the next interval.
  std::string Finish(uint64_t begin_ns, uint64_t end_ns);

 private:
  struct Event {
    uint64_t time_ns = 0;
    uint64_t value = 0;
    double weight = 1;
  };
  // Kind, stack, attributes, link.
  using Key = std::tuple<SampleKind, uint32_t, std::vector<uint32_t>, uint32_t>;

  struct LiveAllocation {
    uint32_t generation = 0;
    uint64_t bytes = 0;
    double weight = 0;
    WalkEnd walk_end = WalkEnd::kComplete;
    std::vector<uintptr_t> frames;
  };

  std::vector<uint32_t> AttributesOf(const Sample& sample);
  std::string_view ThreadName(pid_t tid);
  void WriteResource(ProtoWriter* resource) const;
  void WriteEvents(SampleKind kind, std::string_view type, std::string_view unit,
                   ProtoWriter* scope);
  void WriteLive(std::string_view type, std::string_view unit, ProtoWriter* scope);
  void WriteLosses(ProtoWriter* scope);
  ProtoWriter Head(std::string_view type, std::string_view unit);
  bool Has(SampleKind kind) const;
  void DropFreed();

  const Config& config_;
  const std::vector<std::string>& label_keys_;
  std::optional<Dictionary> dictionary_ = Dictionary();
  std::map<Key, std::vector<Event>> events_;
  std::unordered_map<uint32_t, LiveAllocation> live_;  // by slot
  std::unordered_map<pid_t, std::string> thread_names_;
  std::vector<std::shared_ptr<const Module>> modules_;
  size_t event_count_ = 0;
  uint64_t lost_ = 0;
  uint64_t begin_ns_ = 0;
  uint64_t end_ns_ = 0;
};

}  // namespace flarestack::sdk
