// SPDX-License-Identifier: Apache-2.0
//
// Format 2 stored spans, links, profile ids and the index of logs by trace under keys that did not
// begin with a time, so dropping an hour meant rewriting all of them. Format 3 puts the hour first
// (docs/formats/store.md). A directory of format 2 is converted once, when it is opened for
// writing.
#pragma once

#include <rocksdb/db.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "store/rocks/database/database.h"

namespace flarestack::store::rocks {

// The families of format 2 that a directory still has. They must be opened along with the others.
std::vector<std::string> RetiredFamilies(const std::string& directory);

// Moves the entries of a retired family to its replacement. May be interrupted: each entry is in
// exactly one of the two at any time.
absl::Status MoveRetiredFamily(const Database& database, rocksdb::ColumnFamilyHandle* retired);

}  // namespace flarestack::store::rocks
