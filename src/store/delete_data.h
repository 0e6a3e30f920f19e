// SPDX-License-Identifier: Apache-2.0
//
// Permanently deletes data from a directory that no server is using, by resource and by time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/matcher.h"
#include "store/store.h"

namespace flarestack::store {

struct DeleteQuery {
  std::vector<Matcher> matchers;  // on resources; none: all
  TimeRange range;                // only hours that lie entirely inside it
  bool is_dry_run = false;        // count without deleting
};

struct DeletedData {
  uint64_t series = 0;  // of profiles with samples in these hours
  uint64_t chunks = 0;  // of samples; one or more per series and hour
  uint64_t spans = 0;
  uint64_t log_records = 0;
  uint64_t metric_series = 0;
  uint64_t points = 0;
};

// Deletes from all four signals. Without a range it also deletes the resource and series entries,
// so they are no longer listed. Shared dictionary entries such as function names stay until
// retention drops them, because other data may use them. An interrupted deletion can be run again
// to finish it. Returns kNotFound if the directory has no data, kFailedPrecondition if it is in
// use.
absl::StatusOr<DeletedData> DeleteData(const std::string& directory, const DeleteQuery& query);

// Deletes the whole directory. Same errors.
absl::Status DeleteDirectory(const std::string& directory);

}  // namespace flarestack::store
