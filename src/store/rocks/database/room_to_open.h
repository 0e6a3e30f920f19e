// SPDX-License-Identifier: Apache-2.0
//
// Whether the disk takes again what RocksDB writes when it opens a directory: its log as tables, a
// new log, and a new list of files. An opening that fails leaves nothing that could be read.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace flarestack::store::rocks {

// Writes a file without a name, which is gone when this returns. kResourceExhausted when the disk
// has no room, kUnavailable when it fails in another way.
absl::Status CheckRoomToOpen(const std::string& directory);

}  // namespace flarestack::store::rocks
