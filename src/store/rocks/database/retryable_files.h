// SPDX-License-Identifier: Apache-2.0
//
// Files whose failed writes RocksDB gets over. To RocksDB 7.8 a failed write is final, unless the
// disk was full or the file system says that it may be tried again: final means that nothing is
// taken until the database is opened anew. Here every failed write may be tried again. RocksDB then
// writes what it holds in memory to new files, once a second until that works, and takes no changes
// before it did; so nothing rests on a file that a write has left in doubt.
#pragma once

#include <rocksdb/env.h>

namespace flarestack::store::rocks {

// Both live as long as the process.
rocksdb::Env* RetryableFiles();

// For a directory whose lock the caller holds (directory_lock.h): RocksDB takes none of its own.
rocksdb::Env* RetryableFilesUnderLock();

}  // namespace flarestack::store::rocks
