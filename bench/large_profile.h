// SPDX-License-Identifier: Apache-2.0
//
// A pprof of about 100 MB like that of a large service, without its samples: they are what the
// benchmarks differ in.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "codec/pprof/profile.h"

namespace flarestack::bench {

inline uint32_t Below(uint32_t limit, std::mt19937* random) {
  return static_cast<uint32_t>((*random)() % limit);
}

// Two sample types, one binary, and as many functions as locations.
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

}  // namespace flarestack::bench
