// SPDX-License-Identifier: Apache-2.0
#include "store/sample_types.h"

#include <array>

#include "model/sample_type.h"

namespace flarestack::store {
namespace {

struct Alias {
  std::string_view name;
  std::string_view type;
  std::string_view unit;
  std::string_view period_type;
};
constexpr std::array kAliases = {
    Alias{"cpu", "cpu", "", ""},
    Alias{"cpu", "samples", "count", "cpu"},
    Alias{"off_cpu", "off_cpu", "", ""},
    Alias{"off_cpu", "offcpu", "", ""},
    Alias{"off_cpu", "off-cpu", "", ""},
    Alias{"wall", "wall", "", ""},
    Alias{"alloc_space", "alloc_space", "", ""},
    Alias{"alloc_space", "allocated_space", "", ""},
    Alias{"alloc_objects", "alloc_objects", "", ""},
    Alias{"alloc_objects", "allocated_objects", "", ""},
    Alias{"inuse_space", "inuse_space", "", ""},
    Alias{"inuse_objects", "inuse_objects", "", ""},
    Alias{"lock", "delay", "nanoseconds", ""},
    Alias{"lock", "lock", "", ""},
    Alias{"samples", "samples", "", ""},
};

}  // namespace

std::vector<SampleTypeMatcher> SampleTypesFor(std::string_view text) {
  std::vector<SampleTypeMatcher> types;
  if (text.empty())
    return types;
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const bool is_exact = colon != std::string_view::npos;
  const bool is_off_cpu = model::SameSampleType(name, "off_cpu");
  if (is_exact && !is_off_cpu) {
    types.push_back({.type = std::string(name),
                     .unit = std::string(text.substr(colon + 1)),
                     .period_type = ""});
    return types;
  }
  for (const Alias& alias : kAliases) {
    if (model::SameSampleType(alias.name, name)) {
      types.push_back({.type = std::string(alias.type),
                       .unit = std::string(is_exact ? text.substr(colon + 1) : alias.unit),
                       .period_type = std::string(alias.period_type)});
    }
  }
  if (types.empty())
    types.push_back({.type = std::string(text), .unit = "", .period_type = ""});
  return types;
}

}  // namespace flarestack::store
