// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/retryable_files.h"

#include <rocksdb/file_system.h>

#include <memory>
#include <string>
#include <utility>

namespace flarestack::store::rocks {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// RocksDB already handles a full disk: it waits for space.
IOStatus Marked(IOStatus status) {
  if (!status.ok() && !status.IsNoSpace())
    status.SetRetryable(true);
  return status;
}

class RetryableFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    return Marked(target()->Append(data, options, debug));
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& verification,
                  IODebugContext* debug) override {
    return Marked(target()->Append(data, options, verification, debug));
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    return Marked(target()->Truncate(size, options, debug));
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    return Marked(target()->Close(options, debug));
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* debug) override {
    return Marked(target()->Flush(options, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return Marked(target()->Sync(options, debug));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return Marked(target()->Fsync(options, debug));
  }
  IOStatus RangeSync(uint64_t offset, uint64_t bytes, const IOOptions& options,
                     IODebugContext* debug) override {
    return Marked(target()->RangeSync(offset, bytes, options, debug));
  }
};

class RetryableFileSystem : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "RetryableFiles"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* debug) override {
    return Wrapped(target()->NewWritableFile(name, options, file, debug), file);
  }
  IOStatus ReopenWritableFile(const std::string& name, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                              IODebugContext* debug) override {
    return Wrapped(target()->ReopenWritableFile(name, options, file, debug), file);
  }

 private:
  static IOStatus Wrapped(IOStatus status, std::unique_ptr<rocksdb::FSWritableFile>* file) {
    if (status.ok())
      *file = std::make_unique<RetryableFile>(std::move(*file));
    return Marked(std::move(status));
  }
};

class LockedFileSystem : public RetryableFileSystem {
 public:
  using RetryableFileSystem::RetryableFileSystem;

  const char* Name() const override { return "RetryableFilesUnderLock"; }

  IOStatus LockFile(const std::string& /*name*/, const IOOptions& /*options*/,
                    rocksdb::FileLock** lock, IODebugContext* /*debug*/) override {
    *lock = nullptr;  // RocksDB unlocks only a lock that is not null
    return IOStatus::OK();
  }
};

// Never destroyed: threads of RocksDB may outlive the end of main().
template <typename Files>
rocksdb::Env* MakeForever() {
  return rocksdb::NewCompositeEnv(std::make_shared<Files>(rocksdb::FileSystem::Default()))
      .release();
}

}  // namespace

rocksdb::Env* RetryableFiles() {
  static rocksdb::Env* const env = MakeForever<RetryableFileSystem>();
  return env;
}

rocksdb::Env* RetryableFilesUnderLock() {
  static rocksdb::Env* const env = MakeForever<LockedFileSystem>();
  return env;
}

}  // namespace flarestack::store::rocks
