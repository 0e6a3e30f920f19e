// SPDX-License-Identifier: Apache-2.0
//
// A walk over a family whose keys begin with the hour.
#pragma once

#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "store/rocks/database.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// Calls `take` with each key and value of the hours that the range touches, until it answers false.
absl::Status ScanHours(
    const Database& database, Family family, TimeRange range,
    absl::FunctionRef<absl::StatusOr<bool>(std::string_view key, std::string_view value)> take);

}  // namespace flarestack::store::rocks
