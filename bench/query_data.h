// SPDX-License-Identifier: Apache-2.0
//
// Profiles of made-up services for the query benchmarks: each service has a fixed set of stacks,
// and its messages draw from them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/text/text.h"
#include "model/builder/batch_builder.h"

namespace flarestack::bench {

// Stacks of a service: a tree of functions, some stacks much more frequent than others.
class Program {
 public:
  Program(const std::string& service, int stacks, uint32_t seed) : random_(seed) {
    for (int i = 0; i < stacks; ++i) {
      std::vector<std::string> names = {"main"};
      uint32_t path = 0;
      const uint32_t depth = 10 + static_cast<uint32_t>(random_() % 25);
      for (uint32_t k = 0; k < depth; ++k) {
        path = path * 7 + static_cast<uint32_t>(random_() % (k < 6 ? 2 : 4)) + 1;
        names.push_back(base::StrCat(service, "::layer", k, "::Function", path % 150));
      }
      stacks_.push_back(std::move(names));
    }
  }

  // Draws a stack. Frequent ones have low numbers.
  uint32_t Draw() {
    const double x = std::generate_canonical<double, 24>(random_);
    return static_cast<uint32_t>(x * x * x * static_cast<double>(stacks_.size()));
  }

  const std::vector<std::vector<std::string>>& stacks() const { return stacks_; }
  std::mt19937& random() { return random_; }

 private:
  std::mt19937 random_;
  std::vector<std::vector<std::string>> stacks_;
};

// The arrays for the plain loop.
struct Arrays {
  std::vector<uint32_t> stacks;
  std::vector<uint64_t> times;
};

// One profile of an instance: a number of events spread over a stretch of time.
struct MessageShape {
  std::string service;
  int instance = 0;
  uint64_t from = 0;
  uint64_t length = 0;
  uint64_t events = 0;
  uint64_t events_per_sample = 50;
};

inline model::Batch Message(Program* program, const MessageShape& shape, Arrays* arrays) {
  const auto& [service, instance, from, length, events, events_per_sample] = shape;
  model::BatchBuilder builder;
  model::DictionaryBuilder& dictionary = builder.dictionary();
  std::vector<model::KeyValue> attributes;
  const auto add = [&](std::string_view key, const std::string& value) {
    attributes.push_back(
        {.key = dictionary.Keep(key), .value = model::AnyValue::String(dictionary.Keep(value))});
  };
  add("service.name", service);
  add("service.instance.id", base::StrCat(service, "-", instance));
  const model::ScopeId scope = builder.AddScope(
      builder.AddResource({.present = true, .attributes = dictionary.Nodes(attributes)}), {});
  builder.AddProfile(
      scope,
      {.sample_type = {.type = dictionary.String("cpu"), .unit = dictionary.String("nanoseconds")},
       .period_type = {.type = dictionary.String("cpu"), .unit = dictionary.String("nanoseconds")},
       .period = 10'000'000,
       .time_unix_nano = from,
       .duration_nano = length});
  std::vector<model::LocationIndex> locations;
  std::vector<uint64_t> times;
  std::vector<int64_t> values;
  for (uint64_t done = 0; done < events;) {
    const uint32_t number = program->Draw();
    locations.clear();
    const auto& names = program->stacks()[number];
    for (size_t i = names.size(); i-- > 0;) {
      const model::Line line = {.function =
                                    dictionary.Function({.name = dictionary.String(names[i])})};
      locations.push_back(dictionary.Location({}, {&line, 1}, {}));
    }
    const uint64_t count = std::min(events_per_sample, events - done);
    times.clear();
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t tick = program->random()() % (length / 1'000'000);
      times.push_back(from + tick * 1'000'000);
    }
    std::sort(times.begin(), times.end());
    values.assign(count, 10'000'000);
    const model::StackIndex stack = dictionary.Stack(locations);
    // Some of them belong to a span.
    model::LinkIndex link;
    if (done == 0) {
      std::string trace(16, '\1');
      trace[0] = static_cast<char>(instance + 1);
      trace[1] = static_cast<char>(from / base::kNanosPerMinute);
      trace[2] = static_cast<char>(from / base::kNanosPerMinute >> 8);
      link = dictionary.Link({.trace_id = trace, .span_id = std::string(8, '\2')});
    }
    builder.AddSample({.stack = stack,
                       .link = link,
                       .values = builder.Values(values),
                       .timestamps = builder.Timestamps(times)});
    if (arrays != nullptr) {
      for (const uint64_t time : times) {
        arrays->stacks.push_back(number);
        arrays->times.push_back(time);
      }
    }
    done += count;
  }
  return *std::move(builder).Finish();
}

}  // namespace flarestack::bench
