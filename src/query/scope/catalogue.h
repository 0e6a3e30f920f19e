// SPDX-License-Identifier: Apache-2.0
//
// Lists services: their sample types, their versions, the number of instances, and when they were
// last seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/data/data_source.h"
#include "store/store.h"

namespace flarestack::query {

struct ServiceVersion {
  std::string version;  // service.version; empty if missing
  uint64_t last_seen_nanos = 0;
  uint64_t instances = 0;
};

struct Service {
  std::string name;  // service.name; empty if missing
  std::string name_space;
  std::vector<std::string> types;        // name:unit, sorted
  std::vector<std::string> named_by;     // flarestack.service.name.rule; empty: the sender named it
  std::vector<ServiceVersion> versions;  // most recently seen first
  uint64_t series = 0;
  uint64_t instances = 0;
  uint64_t last_seen_nanos = 0;
};

// Sorted by name. `matchers` apply to resources. With a range, lists services and versions that
// have samples in one of its hours.
absl::StatusOr<std::vector<Service>> ListServices(
    const DataSource& source, const std::vector<store::Matcher>& matchers,
    const std::optional<store::TimeRange>& range = std::nullopt);

}  // namespace flarestack::query
