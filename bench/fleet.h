// SPDX-License-Identifier: Apache-2.0
//
// A fleet of hosts as their profilers see it, generated from a seed: every message has its own
// dictionary, the same few thousand stacks repeat, CPUs tick on a grid of 50 ms with a phase each,
// threads stay on their CPU for a while, and some samples belong to a span. Half of the hosts are
// nearly idle (about 100 samples a minute, one event each, as in recordings of small clusters),
// half are busy (a few thousand events a minute). In recordings the ticks of a busy CPU deviate by
// about 100 ns, those of an idle one, which the timer wakes up, by some microseconds.
//
// One service in three is traced, and one in twenty of its requests: at 20 samples a second nearly
// every sample with a span is the only one of its span.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "base/text/text.h"
#include "model/builder/batch_builder.h"

namespace flarestack::bench {

struct FleetShape {
  int hosts = 500;
  int services = 20;
  int services_per_host = 6;
  int stacks_per_service = 1500;
  int functions_per_service = 2500;
  int threads = 6;
  int cpus = 16;
  int traced_services = 3;     // one in this many
  double linked_share = 0.05;  // of the samples of a traced process
  std::string release;         // part of all names of services, functions and files
};

class Fleet {
 public:
  static constexpr uint64_t kPeriod = 50'000'000;
  static constexpr uint64_t kMinute = 60'000'000'000;

  Fleet(uint32_t seed, const FleetShape& shape) : shape_(shape), random_(seed) {
    for (int s = 0; s < shape.services; ++s)
      services_.push_back(MakeService(s));
  }

  // The message of one host for the minute that begins at `start`.
  model::Batch Message(int host, uint64_t start) {
    model::BatchBuilder builder;
    const bool is_busy = host % 2 == 1;
    for (int p = 0; p < shape_.services_per_host; ++p) {
      const int service = (host * 7 + p * 3) % shape_.services;
      AddProcess(host, p, service, start, is_busy, &builder);
    }
    return *std::move(builder).Finish();
  }

 private:
  struct Service {
    std::string name;
    std::vector<std::vector<uint32_t>> stacks;  // functions, leaf first
  };

  uint32_t Below(uint64_t limit) { return static_cast<uint32_t>(random_() % limit); }

  uint64_t Noise(double deviation) {
    return static_cast<uint64_t>(100'000 + std::normal_distribution<double>(0, deviation)(random_));
  }

  // A few stacks take most of the time: the fourth power of a uniform number.
  uint32_t PickStack(const Service& service) {
    const double u = std::uniform_real_distribution<double>()(random_);
    return static_cast<uint32_t>(u * u * u * u * static_cast<double>(service.stacks.size()));
  }

  Service MakeService(int number) {
    Service service = {.name = base::StrCat("service-", number, shape_.release), .stacks = {}};
    for (int i = 0; i < shape_.stacks_per_service; ++i) {
      // A stack shares its callers with another stack and differs near the leaf.
      std::vector<uint32_t> stack;
      const int depth = 4 + static_cast<int>(Below(26));
      if (!service.stacks.empty()) {
        const auto& other = service.stacks[Below(service.stacks.size())];
        const size_t shared = other.size() * (40 + Below(50)) / 100;
        stack.assign(other.end() - static_cast<ptrdiff_t>(shared), other.end());
      }
      while (static_cast<int>(stack.size()) < depth)
        stack.insert(stack.begin(), Below(static_cast<uint64_t>(shape_.functions_per_service)));
      service.stacks.push_back(std::move(stack));
    }
    return service;
  }

  model::StackIndex Stack(const Service& service, uint32_t number,
                          model::DictionaryBuilder* tables) {
    const model::MappingIndex mapping = tables->Mapping(
        {.memory_start = 0x400000,
         .memory_limit = 0x9000000,
         .filename = tables->String(base::StrCat("/usr/bin/", service.name))},
        {{tables->Attribute("process.executable.build_id.gnu",
                            model::AnyValue::String(base::StrCat("build-id-of-", service.name)))}});
    std::vector<model::LocationIndex> locations;
    for (const uint32_t function : service.stacks[number]) {
      const model::Line line = {
          .function = tables->Function(
              {.name = tables->String(base::StrCat(service.name, "::module", function % 40,
                                                   "::Handler::Process", function * 7919)),
               .filename = tables->String(
                   base::StrCat("/build/src/", service.name, "/module", function % 300, ".cc"))}),
          .line = 1 + function % 3000};
      locations.push_back(tables->Location(
          {.mapping = mapping, .address = 0x400000 + uint64_t{function} * 97}, {{line}},
          {{tables->Attribute("profile.frame.type", model::AnyValue::String("native"))}}));
    }
    return tables->Stack(locations);
  }

  struct Event {
    uint32_t stack = 0;
    int thread = 0;
    int cpu = 0;
    uint64_t time = 0;
    uint64_t span = 0;  // 0: none
  };

  // Samples every thread on each tick of its CPU.
  std::vector<Event> RunProcess(const Service& service, int host, uint64_t start, bool is_busy,
                                bool is_traced) {
    std::vector<Event> events;
    const double share = is_busy ? 0.06 : 0.0025;
    const uint64_t phase = 1'000'000 + static_cast<uint64_t>(host) * 77'777 % 40'000'000;
    const double tick_noise = is_busy ? 80 : 3500;
    for (int thread = 0; thread < shape_.threads; ++thread) {
      int cpu = static_cast<int>(Below(static_cast<uint64_t>(shape_.cpus)));
      uint32_t stack = PickStack(service);
      for (uint64_t tick = 0; tick < kMinute / kPeriod; ++tick) {
        if (std::uniform_real_distribution<double>()(random_) >= share)
          continue;
        if (!is_busy || Below(20) == 0)
          cpu = static_cast<int>(Below(static_cast<uint64_t>(shape_.cpus)));
        if (Below(3) != 0)
          stack = PickStack(service);
        uint64_t span = 0;
        if (is_traced && std::uniform_real_distribution<double>()(random_) < shape_.linked_share)
          span = random_() | 1;
        events.push_back({.stack = stack,
                          .thread = thread,
                          .cpu = cpu,
                          .time = (start / kPeriod + tick) * kPeriod + phase +
                                  static_cast<uint64_t>(cpu) * 18'000 + Noise(tick_noise),
                          .span = span});
      }
    }
    return events;
  }

  void AddProcess(int host, int process, int service_number, uint64_t start, bool is_busy,
                  model::BatchBuilder* builder) {
    const Service& service = services_[static_cast<size_t>(service_number)];
    const bool is_traced = service_number % shape_.traced_services == 0;
    const std::vector<Event> events = RunProcess(service, host, start, is_busy, is_traced);
    if (events.empty())
      return;
    model::DictionaryBuilder& tables = builder->dictionary();
    const auto text = [&](std::string_view key, const std::string& value) {
      return model::KeyValue{
          .key = key, .key_index = {}, .value = model::AnyValue::String(tables.Keep(value))};
    };
    const std::vector<model::KeyValue> attributes = {
        text("service.name", service.name), text("host.name", base::StrCat("host-", host)),
        text("container.id", base::StrCat("container-", host, "-", process))};
    const model::ResourceId resource =
        builder->AddResource({.present = true, .attributes = tables.Nodes(attributes)});
    model::Scope scope;
    scope.present = true;
    scope.name = "host.profiler";
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    for (const Event& event : events) {
      first = std::min(first, event.time);
      last = std::max(last, event.time);
    }
    builder->AddProfile(
        builder->AddScope(resource, scope),
        {.sample_type = {.type = tables.String("samples"), .unit = tables.String("count")},
         .period_type = {.type = tables.String("cpu"), .unit = tables.String("nanoseconds")},
         .period = kPeriod,
         .time_unix_nano = first,
         .duration_nano = last - first});
    // Events with the same identity form one sample.
    std::map<std::tuple<uint32_t, int, int, uint64_t>, std::vector<uint64_t>> samples;
    for (const Event& event : events)
      samples[{event.stack, event.thread, event.cpu, event.span}].push_back(event.time);
    const int64_t pid = host * 100 + process + 1000;
    for (const auto& [identity, times] : samples) {
      const auto& [stack, thread, cpu, span] = identity;
      const std::vector<model::AttributeIndex> set = {
          tables.Attribute("thread.name", model::AnyValue::String(tables.Keep(
                                              base::StrCat(service.name, "-", thread)))),
          tables.Attribute("process.executable.name", model::AnyValue::String(service.name)),
          tables.Attribute("process.pid", model::AnyValue::Int(pid)),
          tables.Attribute("thread.id", model::AnyValue::Int(pid * 100 + thread)),
          tables.Attribute("cpu.logical_number", model::AnyValue::Int(cpu))};
      model::Sample sample = {.stack = Stack(service, stack, &tables),
                              .attributes = tables.AttributeList(set),
                              .timestamps = builder->Timestamps(times)};
      if (span != 0) {
        std::string trace_id;
        base::AppendBigEndian(span * 0x9e3779b97f4a7c15, &trace_id);
        base::AppendBigEndian(span ^ 0x5bd1e995cafef00d, &trace_id);
        std::string span_id;
        base::AppendBigEndian(span, &span_id);
        sample.link = tables.Link({.trace_id = trace_id, .span_id = span_id});
      }
      builder->AddSample(sample);
    }
  }

  FleetShape shape_;
  std::mt19937_64 random_;
  std::vector<Service> services_;
};

}  // namespace flarestack::bench
