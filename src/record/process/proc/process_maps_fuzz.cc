// SPDX-License-Identifier: Apache-2.0
//
// Parses arbitrary text as /proc/PID/maps: ranges are valid, and the executable mappings are a
// subset of all mappings.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "record/process/proc/process_maps.h"

namespace agent = flarestack::record::agent;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto all = agent::ParseMaps(text, agent::MapsChoice::kAll);
  const auto executable = agent::ParseMaps(text, agent::MapsChoice::kExecutable);
  if (!all.ok())
    return 0;
  FLARE_CHECK(executable.ok());
  std::vector<agent::ProcessMapping> expected;
  for (const agent::ProcessMapping& mapping : *all) {
    FLARE_CHECK(mapping.start < mapping.end);
    FLARE_CHECK(mapping.path.size() <= text.size());
    if (mapping.is_executable)
      expected.push_back(mapping);
  }
  FLARE_CHECK(*executable == expected);
  return 0;
}
