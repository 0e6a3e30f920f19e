// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/event_list.h"

#include <algorithm>

#include "base/text/text.h"
#include "model/sample_type.h"
#include "record/kernel/counted_event.h"

namespace flarestack::cli {

std::string CanonicalEvent(const std::string& event) {
  return model::SameSampleType(event, "off_cpu") ? "off_cpu" : event;
}

absl::StatusOr<record::agent::ProfileTypes> ParseEvents(const std::vector<std::string>& events) {
  record::agent::ProfileTypes types = {.cpu = false};
  for (const std::string& written : events) {
    const std::string event = CanonicalEvent(written);
    const record::agent::CountedEvent* const counted = record::agent::FindCountedEvent(event);
    if (event == "cpu") {
      types.cpu = true;
    } else if (event == "off_cpu") {
      types.off_cpu = true;
    } else if (event == "wall") {
      types.wall = true;
    } else if (counted == nullptr) {
      return absl::InvalidArgumentError(base::StrCat("unknown event \"", written,
                                                     "\"; known events: cpu, off_cpu, wall, ",
                                                     record::agent::CountedEventNames()));
    } else if (std::ranges::find(types.counted, counted->name) == types.counted.end()) {
      types.counted.emplace_back(counted->name);
    }
  }
  return types;
}

}  // namespace flarestack::cli
