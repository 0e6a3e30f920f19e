// SPDX-License-Identifier: Apache-2.0
//
// Data of a directory that no server uses removed for good, by the resource that sent it and by
// time.
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
  TimeRange range;                // the hours that lie in it as a whole
  bool is_dry_run = false;        // count, and remove nothing
};

struct DeletedData {
  uint64_t series = 0;  // of profiles that had samples in these hours
  uint64_t chunks = 0;  // of samples: a series and hour has one or more
  uint64_t spans = 0;
  uint64_t log_records = 0;
  uint64_t metric_series = 0;
  uint64_t points = 0;
};

// All four signals. Without a range what is said of the resources goes too, so that they are not
// listed any more; names of functions and the like go with the retention, because others may have
// them too. Where it is interrupted, doing it again does the rest. kNotFound when no data is there,
// kFailedPrecondition when the directory is in use.
absl::StatusOr<DeletedData> DeleteData(const std::string& directory, const DeleteQuery& query);

// All data of a directory, which is gone then. The same errors.
absl::Status DeleteDirectory(const std::string& directory);

}  // namespace flarestack::store
