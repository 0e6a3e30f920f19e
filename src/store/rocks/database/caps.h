// SPDX-License-Identifier: Apache-2.0
//
// The caps of the last server that used a directory, for tools that inspect it while no server
// runs.
#pragma once

#include "absl/status/statusor.h"
#include "store/rocks/database/database.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// NoteCaps is best effort, so that a store on a full disk can still be opened.
void NoteCaps(const Database& database, const StoreCaps& caps);
absl::StatusOr<StoreCaps> ReadCaps(const Database& database);

}  // namespace flarestack::store::rocks
