// SPDX-License-Identifier: Apache-2.0
//
// Stored log records: by hour and resource, and by the span they belong to.
#pragma once

#include "absl/status/statusor.h"
#include "model/log.h"
#include "store/rocks/database/database.h"
#include "store/rocks/dictionary/interner.h"
#include "store/store.h"

namespace flarestack::store::rocks {

absl::Status WriteLogs(const model::LogBatch& batch, Interner* interner, Changes* changes);
absl::StatusOr<SelectedLogs> ReadLogs(const Database& database, const LogQuery& query);

// Check a stored entry of the two families. Return kDataLoss if WriteLogs cannot have written it.
absl::Status CheckLogEntry(std::string_view key, std::string_view value);
absl::Status CheckLogTraceEntry(std::string_view key);

}  // namespace flarestack::store::rocks
