// SPDX-License-Identifier: Apache-2.0
//
// The caps of the server that used a directory last, for those who look at it while none runs.
#pragma once

#include "absl/status/statusor.h"
#include "store/rocks/database/database.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// As far as it goes: a store on a full disk can be opened all the same.
void NoteCaps(const Database& database, const StoreCaps& caps);
absl::StatusOr<StoreCaps> ReadCaps(const Database& database);

}  // namespace flarestack::store::rocks
