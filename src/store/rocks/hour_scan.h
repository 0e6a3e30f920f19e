// SPDX-License-Identifier: Apache-2.0
//
// A walk over a family whose keys begin with the hour, hour by hour in either direction.
#pragma once

#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "store/rocks/database.h"
#include "store/store.h"

namespace flarestack::store::rocks {

struct HourVisitor {
  // Each entry of the hours that a range touches. Within an hour in the order of the keys, also
  // where the hours go backwards.
  absl::FunctionRef<absl::Status(std::string_view key, std::string_view value)> take;
  absl::FunctionRef<bool()> is_done;  // asked after each hour that has entries
};

struct HourScan {
  Family family;
  TimeRange range;
  TimeOrder order = TimeOrder::kOldestFirst;
};
absl::Status ScanHours(const Database& database, const HourScan& scan, const HourVisitor& visitor);

}  // namespace flarestack::store::rocks
