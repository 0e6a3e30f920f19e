// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/testing/bad_lists.h"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <string>
#include <utility>

#include "store/rocks/database/retryable_files.h"

namespace flarestack::store::testing {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class ListFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  ListFile(std::unique_ptr<rocksdb::FSWritableFile> file, const std::atomic<bool>* fails)
      : FSWritableFileOwnerWrapper(std::move(file)), fails_(*fails) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    return fails_ ? IOStatus::IOError("broken by a test") : target()->Append(data, options, debug);
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& verification,
                  IODebugContext* debug) override {
    return fails_ ? IOStatus::IOError("broken by a test")
                  : target()->Append(data, options, verification, debug);
  }

 private:
  const std::atomic<bool>& fails_;
};

class FilesWithBadLists : public rocksdb::FileSystemWrapper {
 public:
  explicit FilesWithBadLists(const std::atomic<bool>* fails)
      : FileSystemWrapper(rocks::RetryableFilesUnderLock()->GetFileSystem()), fails_(*fails) {}

  const char* Name() const override { return "FilesWithBadLists"; }

  IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* debug) override {
    IOStatus status = target()->NewWritableFile(name, options, file, debug);
    if (status.ok() && name.find("/MANIFEST-") != std::string::npos)
      *file = std::make_unique<ListFile>(std::move(*file), &fails_);
    return status;
  }

 private:
  const std::atomic<bool>& fails_;
};

}  // namespace

BadLists::BadLists()
    : env_(rocksdb::NewCompositeEnv(std::make_shared<FilesWithBadLists>(&fails_))) {}
BadLists::~BadLists() = default;

}  // namespace flarestack::store::testing
