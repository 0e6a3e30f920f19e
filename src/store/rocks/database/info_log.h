// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's own log messages, in the file LOG of its directory. The built-in logger of RocksDB 7.8
// ends the process when it writes again after a failed write, as on a full disk. This logger
// drops lines that it cannot write.
#pragma once

#include <rocksdb/env.h>

#include <memory>
#include <string>

namespace flarestack::store::rocks {

// Renames the file to LOG.old when it reaches `bytes_max`, and starts a new one. Thread-safe.
std::shared_ptr<rocksdb::Logger> MakeInfoLog(const std::string& directory, uint64_t bytes_max);

// Logs nothing: for a directory that is only read.
std::shared_ptr<rocksdb::Logger> MakeSilentLog();

}  // namespace flarestack::store::rocks
