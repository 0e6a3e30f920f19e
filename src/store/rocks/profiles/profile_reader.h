// SPDX-License-Identifier: Apache-2.0
//
// Answers questions about stored profiles as a batch: one resource and scope per series, and in
// them one profile of sums, or the profiles that were sent. Merged sums have neither.
#pragma once

#include "absl/status/statusor.h"
#include "model/batch.h"
#include "store/rocks/database/database.h"
#include "store/store.h"

namespace flarestack::store::rocks {

absl::StatusOr<model::Batch> ReadProfiles(const Database& database, const ProfileQuery& query);

}  // namespace flarestack::store::rocks
