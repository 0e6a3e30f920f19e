// SPDX-License-Identifier: Apache-2.0
//
// Why an answer has nothing in it, and what would have something.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

struct Emptiness {
  std::string reason;              // a sentence
  std::string matcher;             // the part of the selector that excludes everything
  std::string step;                // the step of the filter that removes everything
  std::vector<std::string> types;  // name:unit, where the type asked for is not there
  uint64_t nearest_nanos = 0;      // begin of the hour nearest to the range that has data
};

// `was_filtered_away` says that there was something before the filter.
absl::StatusOr<Emptiness> ExplainEmpty(store::Store* store, const ProfileScope& scope,
                                       bool was_filtered_away);

}  // namespace flarestack::query
