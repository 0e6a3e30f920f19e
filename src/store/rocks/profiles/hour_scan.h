// SPDX-License-Identifier: Apache-2.0
//
// Iterates over a family whose keys begin with the hour, hour by hour in either direction.
#pragma once

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "store/rocks/database/database.h"
#include "store/store.h"

namespace flarestack::store::rocks {

struct HourVisitor {
  // Called with each entry of the hours that overlap the range. Entries within an hour come in key
  // order, even when the hours go backwards.
  absl::FunctionRef<absl::Status(std::string_view key, std::string_view value)> take;
  absl::FunctionRef<bool()> is_done;      // called after each hour that has entries
  absl::FunctionRef<bool()> on_progress;  // called after each entry; false stops the scan
};

struct HourScan {
  Family family;
  TimeRange range;
  TimeOrder order = TimeOrder::kOldestFirst;
};
absl::Status ScanHours(const Database& database, const HourScan& scan, const HourVisitor& visitor);

// Visits, in key order, the entries of each hour whose key continues with `prefix` after the hour.
// The prefix must be at least as long as the one that the family's Bloom filters cover
// (database.cc). Hours without such an entry then cost only a filter lookup.
struct HourPrefix {
  Family family;
  TimeRange range = {};
  std::string prefix;
};
struct EntryVisitor {
  absl::FunctionRef<absl::Status(std::string_view key, std::string_view value)> take;
  absl::FunctionRef<bool()> on_progress;  // called after each entry; false stops the scan
};
absl::Status FindInHours(const Database& database, const HourPrefix& wanted,
                         const EntryVisitor& visitor);

}  // namespace flarestack::store::rocks
