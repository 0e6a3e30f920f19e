// SPDX-License-Identifier: Apache-2.0
//
// A pprof of about 100 MB, similar to that of a large service, with and without its samples.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "codec/pprof/message/profile.h"

namespace flarestack::bench {

inline uint32_t Below(uint32_t limit, std::mt19937* random) {
  return static_cast<uint32_t>((*random)() % limit);
}

// Two sample types, one module, and as many functions as locations.
inline codec::pprof::Profile ProfileWithoutSamples(uint32_t locations, std::mt19937* random) {
  codec::pprof::Profile profile;
  const auto keep = [&](const std::string& text) { return profile.arena.Copy(text); };
  profile.sample_types = {{.type = "samples", .unit = "count"},
                          {.type = "cpu", .unit = "nanoseconds"}};
  profile.mappings.push_back(
      {.id = 1, .memory_start = 0x400000, .memory_limit = 0x9000000, .filename = "/bin/service"});
  for (uint32_t i = 0; i < locations; ++i) {
    profile.functions.push_back(
        {.id = i + 1,
         .name = keep("service::module::Function" + std::to_string(i)),
         .filename = keep("/src/module" + std::to_string(i % 500) + ".cc")});
    profile.lines.push_back({.function = i, .line = 1 + Below(2000, random)});
    profile.locations.push_back({.id = i + 1,
                                 .mapping = 0,
                                 .address = 0x400000 + i * 16,
                                 .lines = {.begin = i, .count = 1}});
  }
  return profile;
}

// Distinct stacks, about 35 frames deep, with two values and a label, as sent by a large service. A
// million samples are about 115 MB.
inline codec::pprof::Profile LargeProfile(size_t samples, uint32_t locations) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t limit) { return Below(limit, &random); };
  codec::pprof::Profile profile = ProfileWithoutSamples(locations, &random);
  constexpr std::string_view kThreads[] = {"worker-1", "worker-2", "worker-3", "main"};
  for (size_t i = 0; i < samples; ++i) {
    const uint32_t depth = 20 + below(30);
    codec::pprof::Sample sample;
    sample.locations = {.begin = static_cast<uint32_t>(profile.sample_locations.size()),
                        .count = depth};
    for (uint32_t k = 0; k < depth; ++k)
      profile.sample_locations.push_back(below(locations));
    sample.values = {.begin = static_cast<uint32_t>(profile.sample_values.size()), .count = 2};
    profile.sample_values.push_back(1 + below(5));
    profile.sample_values.push_back(int64_t{10'000'000} * (1 + below(5)));
    sample.labels = {.begin = static_cast<uint32_t>(profile.sample_labels.size()), .count = 1};
    profile.sample_labels.push_back({.key = "thread", .text = kThreads[below(4)]});
    profile.samples.push_back(sample);
  }
  return profile;
}

}  // namespace flarestack::bench
