// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/directory_lock.h"

#include <filesystem>

#include "base/status.h"
#include "store/rocks/database/database.h"

namespace flarestack::store::rocks {

absl::Status RequireData(const std::string& directory) {
  std::error_code error;
  if (std::filesystem::exists(directory + "/CURRENT", error))
    return absl::OkStatus();
  if (error)
    return absl::FailedPreconditionError(base::StrCat(directory, ": ", error.message()));
  return absl::NotFoundError(base::StrCat("no data in ", directory));
}

absl::StatusOr<DirectoryLock> DirectoryLock::Take(const std::string& directory) {
  FLARE_RETURN_IF_ERROR(RequireData(directory));
  return TakeEvenIfEmpty(directory);
}

absl::StatusOr<DirectoryLock> DirectoryLock::TakeEvenIfEmpty(const std::string& directory) {
  rocksdb::FileLock* lock = nullptr;
  const rocksdb::Status status = rocksdb::Env::Default()->LockFile(directory + "/LOCK", &lock);
  if (status.ok())
    return DirectoryLock(lock);
  const std::string text = status.ToString();
  if (text.find("open a file for lock") != std::string::npos)
    return absl::FailedPreconditionError(base::StrCat("cannot lock ", directory, ": ", text));
  return absl::FailedPreconditionError(
      base::StrCat("another process uses the data directory ", directory));
}

DirectoryLock::~DirectoryLock() {
  if (lock_ != nullptr)
    rocksdb::Env::Default()->UnlockFile(lock_);
}

}  // namespace flarestack::store::rocks
