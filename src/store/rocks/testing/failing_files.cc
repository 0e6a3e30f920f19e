// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/testing/failing_files.h"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <string>
#include <string_view>
#include <utility>

#include "store/rocks/database/retryable_files.h"

namespace flarestack::store::testing {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class FailingFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FailingFile(std::unique_ptr<rocksdb::FSWritableFile> file, FailingKind kind,
              const std::atomic<bool>* fails)
      : FSWritableFileOwnerWrapper(std::move(file)), kind_(kind), fails_(*fails) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    return fails_ ? Error() : target()->Append(data, options, debug);
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& verification,
                  IODebugContext* debug) override {
    return fails_ ? Error() : target()->Append(data, options, verification, debug);
  }

 private:
  IOStatus Error() const {
    return kind_ == FailingKind::kLog ? IOStatus::NoSpace("broken by a test")
                                      : IOStatus::IOError("broken by a test");
  }

  const FailingKind kind_;
  const std::atomic<bool>& fails_;
};

class FailingFileSystem : public rocksdb::FileSystemWrapper {
 public:
  FailingFileSystem(FailingKind kind, const std::atomic<bool>* fails)
      : FileSystemWrapper(rocks::RetryableFilesUnderLock()->GetFileSystem()),
        kind_(kind),
        fails_(*fails) {}

  const char* Name() const override { return "FailingFileSystem"; }

  IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* debug) override {
    IOStatus status = target()->NewWritableFile(name, options, file, debug);
    if (status.ok() && IsFailing(name))
      *file = std::make_unique<FailingFile>(std::move(*file), kind_, &fails_);
    return status;
  }

 private:
  bool IsFailing(std::string_view name) const {
    return kind_ == FailingKind::kLog ? name.ends_with(".log")
                                      : name.find("/MANIFEST-") != std::string_view::npos;
  }

  const FailingKind kind_;
  const std::atomic<bool>& fails_;
};

}  // namespace

FailingFiles::FailingFiles(FailingKind kind)
    : env_(rocksdb::NewCompositeEnv(std::make_shared<FailingFileSystem>(kind, &fails_))) {}
FailingFiles::~FailingFiles() = default;

}  // namespace flarestack::store::testing
