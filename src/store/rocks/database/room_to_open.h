// SPDX-License-Identifier: Apache-2.0
//
// Checks whether the disk has room for the files that RocksDB writes when it opens a directory: its
// log as tables, a new log, and a new manifest. A failed opening would leave no readable store.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace flarestack::store::rocks {

// Writes an unnamed file, which is gone when this returns. Returns kResourceExhausted if the disk
// is full, kUnavailable on any other failure.
absl::Status CheckRoomToOpen(const std::string& directory);

}  // namespace flarestack::store::rocks
