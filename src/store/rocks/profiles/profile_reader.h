// SPDX-License-Identifier: Apache-2.0
//
// Answers profile queries with a batch: one resource and scope per series, each with one profile of
// sums, or with the profiles that were sent. Merged sums have no resource or scope.
#pragma once

#include "absl/status/statusor.h"
#include "model/batch.h"
#include "store/rocks/database/database.h"
#include "store/store.h"

namespace flarestack::store::rocks {

absl::StatusOr<model::Batch> ReadProfiles(const Database& database, const ProfileQuery& query);

}  // namespace flarestack::store::rocks
