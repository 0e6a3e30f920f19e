// SPDX-License-Identifier: Apache-2.0
//
// Whether an entry of the database is one that the store writes: its key is taken apart, its value
// decoded as a reader would.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "model/metric.h"
#include "store/rocks/database/database.h"

namespace flarestack::store::rocks {

// Not thread-safe.
class EntryCheck {
 public:
  // Points can be decoded only by the kind of their series, which stands elsewhere. Without a
  // database only their keys are looked at. It must outlive the object.
  explicit EntryCheck(const Database* database) : database_(database) {}

  absl::Status Check(Family family, std::string_view key, std::string_view value);

 private:
  absl::Status CheckPoint(std::string_view key, std::string_view value);

  const Database* database_;
  absl::flat_hash_map<uint32_t, model::MetricKind> kinds_;  // by series
};

}  // namespace flarestack::store::rocks
