// SPDX-License-Identifier: Apache-2.0
//
// Stored spans: each by its ids, and an index by hour and resource for searches.
#pragma once

#include "absl/status/statusor.h"
#include "model/trace.h"
#include "store/rocks/database/database.h"
#include "store/rocks/dictionary/interner.h"
#include "store/store.h"

namespace flarestack::store::rocks {

absl::Status WriteSpans(const model::TraceBatch& batch, Interner* interner, Changes* changes);
absl::StatusOr<model::TraceBatch> ReadTrace(const Database& database, const TraceQuery& query);
absl::StatusOr<SelectedSpans> ReadSpans(const Database& database, const SpanQuery& query);

// Check a stored entry of the two families. Return kDataLoss if WriteSpans cannot have written it.
absl::Status CheckSpanEntry(std::string_view key, std::string_view value);
absl::Status CheckSpanIndexEntry(std::string_view key, std::string_view value);

}  // namespace flarestack::store::rocks
