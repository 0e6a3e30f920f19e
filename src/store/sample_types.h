// SPDX-License-Identifier: Apache-2.0
//
// Maps short names to sample types. Profilers name the same thing differently: CPU time comes as
// cpu/nanoseconds, or as samples/count with a period of CPU time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::store {

// Empty fields match anything.
struct SampleTypeMatcher {
  std::string type;
  std::string unit;
  std::string period_type;
};

// Accepts "cpu", "offcpu", "alloc_space" ..., an exact "name:unit", or any other name verbatim.
// Empty text returns no matchers, which selects all types.
std::vector<SampleTypeMatcher> SampleTypesFor(std::string_view text);

}  // namespace flarestack::store
