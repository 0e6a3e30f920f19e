// SPDX-License-Identifier: Apache-2.0
//
// What RocksDB tells about its work, in the file LOG of its directory. RocksDB's own logger of
// version 7.8 ends the process when it writes again after a write that failed, which a full disk
// brings about; here a line that cannot be written is lost, and that is all.
#pragma once

#include <rocksdb/env.h>

#include <memory>
#include <string>

namespace flarestack::store::rocks {

// Begins a new file when the old one, kept as LOG.old, has `bytes_max`. Thread-safe.
std::shared_ptr<rocksdb::Logger> MakeInfoLog(const std::string& directory, uint64_t bytes_max);

// Says nothing: for a directory that is only read.
std::shared_ptr<rocksdb::Logger> MakeSilentLog();

}  // namespace flarestack::store::rocks
