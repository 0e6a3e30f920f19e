// SPDX-License-Identifier: Apache-2.0
//
// Explains why a result is empty, and which query would return data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/data/data_source.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

struct Emptiness {
  std::string reason;              // a sentence
  std::string matcher;             // the matcher that excludes everything
  std::string step;                // the filter step that removes everything
  std::vector<std::string> types;  // name:unit, if the requested type does not exist
  uint64_t nearest_nanos = 0;      // start of the hour with data nearest to the range
};

// `was_filtered_away` means that there was data before the filter.
absl::StatusOr<Emptiness> ExplainEmpty(const DataSource& source, const ProfileScope& scope,
                                       bool was_filtered_away);

}  // namespace flarestack::query
