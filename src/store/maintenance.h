// SPDX-License-Identifier: Apache-2.0
//
// What an operator does with a data directory while no server uses it: count, verify, back up,
// restore. Each takes the lock that a server holds, and is kFailedPrecondition when it is taken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/store.h"

namespace flarestack::store {

struct FamilyStats {
  std::string name;
  uint64_t entries = 0;
  uint64_t table_bytes = 0;  // compressed, without what is in the log
};

struct DirectoryStats {
  StoreStats store;
  StoreCaps caps;  // of the server that used it last
  std::vector<FamilyStats> families;
};

// Reads every key. kNotFound when no data is there.
absl::StatusOr<DirectoryStats> ReadDirectoryStats(const std::string& directory);

struct StoreFault {
  std::string place;   // a file by its path, or a family and the key in hexadecimal digits
  std::string reason;  // one line
};

struct VerifyReport {
  uint64_t files = 0;  // looked at
  uint64_t entries = 0;
  uint64_t fault_count = 0;
  std::vector<StoreFault> faults;  // the first kStoreFaultsMax of them
};
inline constexpr size_t kStoreFaultsMax = 1'000;

// Verifies the checksums of every table and decodes every key and value. Faults are in the report,
// and do not end it; a status is returned where there is nothing to look at.
absl::StatusOr<VerifyReport> VerifyDirectory(const std::string& directory);

// Copies the data, after its checksums were verified. kAlreadyExists when `target` is there and not
// empty, kDataLoss for broken data. After a failure `target` is as empty as it was.
absl::Status BackUp(const std::string& directory, const std::string& target);

// The reverse, with the checksums that the backup recorded. kAlreadyExists when `directory` is
// there and not empty, kNotFound when `source` is no complete backup.
absl::Status Restore(const std::string& source, const std::string& directory);

}  // namespace flarestack::store
