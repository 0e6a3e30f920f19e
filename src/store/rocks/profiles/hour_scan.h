// SPDX-License-Identifier: Apache-2.0
//
// A walk over a family whose keys begin with the hour, hour by hour in either direction.
#pragma once

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "store/rocks/database/database.h"
#include "store/store.h"

namespace flarestack::store::rocks {

struct HourVisitor {
  // Each entry of the hours that a range touches. Within an hour in the order of the keys, also
  // where the hours go backwards.
  absl::FunctionRef<absl::Status(std::string_view key, std::string_view value)> take;
  absl::FunctionRef<bool()> is_done;      // asked after each hour that has entries
  absl::FunctionRef<bool()> on_progress;  // asked after each entry; false ends the walk
};

struct HourScan {
  Family family;
  TimeRange range;
  TimeOrder order = TimeOrder::kOldestFirst;
};
absl::Status ScanHours(const Database& database, const HourScan& scan, const HourVisitor& visitor);

// Visits the entries of each hour whose key goes on with `prefix` behind the hour, in the order of
// their keys. The prefix must be at least as long as the one the Bloom filters of the family hold
// (database.cc); hours without such an entry then cost a look at the filters.
struct HourPrefix {
  Family family;
  TimeRange range = {};
  std::string prefix;
};
struct EntryVisitor {
  absl::FunctionRef<absl::Status(std::string_view key, std::string_view value)> take;
  absl::FunctionRef<bool()> on_progress;  // asked after each entry; false ends the walk
};
absl::Status FindInHours(const Database& database, const HourPrefix& wanted,
                         const EntryVisitor& visitor);

}  // namespace flarestack::store::rocks
