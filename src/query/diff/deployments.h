// SPDX-License-Identifier: Apache-2.0
//
// Versions of a service as its own profiles tell them, and what a new one made more expensive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/diff/diff.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

struct Deployment {
  std::string version;       // service.version
  uint64_t first_nanos = 0;  // begin of the first step of the range that has samples of it
  uint64_t last_nanos = 0;   // end of the last one
  int64_t total = 0;
};

struct Deployments {
  std::vector<Deployment> versions;  // in the order in which they were first seen
  uint64_t step_nanos = 0;
  ReadExtent extent;
};

// Of what the scope selects; profiles without a version are left out.
absl::StatusOr<Deployments> FindDeployments(store::Store* store, const ProfileScope& scope,
                                            const ReadLimits& limits);

struct Regressions {
  Deployment before;
  Deployment after;
  uint64_t requests_before = 0;  // server spans of that time and version; 0: none are stored
  uint64_t requests_after = 0;
  Diff diff;  // per request where both are known, else by share
  ReadExtent extent;
};

// The last version against the one before it, or those that are named. kNotFound where there are
// fewer than two.
struct VersionPair {
  std::string before;
  std::string after;
};
absl::StatusOr<Regressions> CompareVersions(store::Store* store, const ProfileScope& scope,
                                            const VersionPair& wanted, const ReadLimits& limits);

}  // namespace flarestack::query
