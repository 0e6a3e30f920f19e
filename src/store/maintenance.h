// SPDX-License-Identifier: Apache-2.0
//
// Operations on a data directory that no server is using: count, verify, back up, restore. Each
// acquires the lock that a server holds, and returns kFailedPrecondition if another process has it.
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
  uint64_t table_bytes = 0;  // compressed, without the log
};

struct DirectoryStats {
  StoreStats store;
  StoreCaps caps;  // of the last server that used it
  std::vector<FamilyStats> families;
};

// Reads every key. Returns kNotFound if there is no data.
absl::StatusOr<DirectoryStats> ReadDirectoryStats(const std::string& directory);

struct StoreFault {
  std::string place;   // a file path, or a family and the key in hex
  std::string reason;  // one line
};

struct VerifyReport {
  uint64_t files = 0;  // checked
  uint64_t entries = 0;
  uint64_t fault_count = 0;
  std::vector<StoreFault> faults;  // the first kStoreFaultsMax
};
inline constexpr size_t kStoreFaultsMax = 1'000;

// Verifies the checksums of every table and decodes every key and value. Faults go into the report
// and do not stop the run. Returns an error if there is nothing to verify.
absl::StatusOr<VerifyReport> VerifyDirectory(const std::string& directory);

// Verifies the checksums, then copies the data. Returns kAlreadyExists if `target` exists and is
// not empty, kDataLoss if data is corrupt. After a failure `target` is empty again.
absl::Status BackUp(const std::string& directory, const std::string& target);

// The reverse, verifying the checksums that the backup recorded. Returns kAlreadyExists if
// `directory` exists and is not empty, kNotFound if `source` is not a complete backup.
absl::Status Restore(const std::string& source, const std::string& directory);

}  // namespace flarestack::store
