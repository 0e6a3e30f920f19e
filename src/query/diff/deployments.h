// SPDX-License-Identifier: Apache-2.0
//
// The versions of a service, as reported by its profiles, and which functions a new version made
// more expensive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/data/data_source.h"
#include "query/diff/diff.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

struct Deployment {
  std::string version;       // service.version
  uint64_t first_nanos = 0;  // start of the first step with samples of it
  uint64_t last_nanos = 0;   // end of the last such step
  int64_t total = 0;
};

struct Deployments {
  std::vector<Deployment> versions;  // in the order they were first seen
  uint64_t step_nanos = 0;
  ReadExtent extent;
};

// Finds the versions that the scope selects. Skips profiles without a version.
absl::StatusOr<Deployments> FindDeployments(const DataSource& source, const ProfileScope& scope,
                                            const ReadLimits& limits);

struct Regressions {
  Deployment before;
  Deployment after;
  // Server spans of that time and version; 0: none stored, or too many to count.
  uint64_t requests_before = 0;
  uint64_t requests_after = 0;
  Diff diff;  // per request if both counts are known, else by share
  ReadExtent extent;
};

// Compares the last version with the one before it, or the two that are named. Returns kNotFound if
// there are fewer than two versions, or a named one does not exist.
struct VersionPair {
  std::string before;
  std::string after;
};
absl::StatusOr<Regressions> CompareVersions(const DataSource& source, const ProfileScope& scope,
                                            const VersionPair& wanted, const ReadLimits& limits);

}  // namespace flarestack::query
