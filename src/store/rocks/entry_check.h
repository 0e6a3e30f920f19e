// SPDX-License-Identifier: Apache-2.0
//
// Checks whether a database entry is one that the store writes: parses its key and decodes its
// value as a reader would.
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
  // Decoding a point requires the kind of its series, which is stored elsewhere. Without a
  // database, only the keys of points are checked. `database` must outlive the object.
  explicit EntryCheck(const Database* database) : database_(database) {}

  absl::Status Check(Family family, std::string_view key, std::string_view value);

 private:
  absl::Status CheckPoint(std::string_view key, std::string_view value);

  const Database* database_;
  absl::flat_hash_map<uint32_t, model::MetricKind> kinds_;  // by series
};

}  // namespace flarestack::store::rocks
