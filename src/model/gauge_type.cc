// SPDX-License-Identifier: Apache-2.0
#include "model/gauge_type.h"

#include <array>
#include <set>

namespace flarestack::model {
namespace {

// Grouped by the profilers that write them.
constexpr std::array<std::string_view, 15> kKnown = {
    "inuse_space",       "inuse_objects",               // Go, tcmalloc, jemalloc, Rust
    "inuse_bytes",       "in_use_space",  "live",       // Python and Java profilers
    "live_bytes",        "live_objects",  "heap_live",  //
    "goroutine",         "goroutines",    "threads",    // Go; `threads` of Java
    "gpu_memory",                                       // bytes in use on a device
    "heap_live_size",                                   // JavaScript and Ruby agents
    "heap_live_samples",                                //
    "heap_space",                                       //
};

// Lower case, with '_' for '-'.
std::string Normalize(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
    if (c == '-')
      c = '_';
  }
  return text;
}

std::set<std::string>& Added() {
  static std::set<std::string> added;
  return added;
}

}  // namespace

bool IsGaugeType(std::string_view sample_type) {
  const std::string name = Normalize(sample_type);
  for (const std::string_view known : kKnown) {
    if (name == known)
      return true;
  }
  return Added().contains(name);
}

void AddGaugeTypes(std::span<const std::string> sample_types) {
  for (const std::string& name : sample_types)
    Added().insert(Normalize(name));
}

}  // namespace flarestack::model
