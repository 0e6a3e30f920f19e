// SPDX-License-Identifier: Apache-2.0
//
// A file system that lets RocksDB recover from failed writes. RocksDB 7.8 treats a failed write as
// fatal and accepts no writes until the database is reopened, unless the disk was full or the file
// system marks the error as retryable. Here every failed write is retryable. RocksDB then flushes
// its memory to new files, retrying once a second until it succeeds, and accepts no changes before
// that. So no data depends on a file that a failed write left in an unknown state.
#pragma once

#include <rocksdb/env.h>

namespace flarestack::store::rocks {

// Both live as long as the process.
rocksdb::Env* RetryableFiles();

// For a directory whose lock the caller holds (directory_lock.h): RocksDB acquires no lock.
rocksdb::Env* RetryableFilesUnderLock();

}  // namespace flarestack::store::rocks
