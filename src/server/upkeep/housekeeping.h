// SPDX-License-Identifier: Apache-2.0
//
// Enforces retention and the disk limit. Drops data older than the retention of its signal. Near
// the disk limit, drops the oldest hours across all tenants and signals, as few as necessary; if
// that is not enough, new data is rejected until there is room again.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/counters.h"
#include "base/event_log.h"
#include "base/mutex.h"
#include "server/limits/room.h"
#include "server/tenants/scratch_uploads.h"
#include "server/tenants/tenants.h"
#include "store/disk_quota.h"
#include "store/store.h"

namespace flarestack::server {

struct HousekeepingOptions {
  std::string directory;                    // its file system must not fill up
  store::SignalTimes retention;             // per signal, ns; 0: forever
  std::shared_ptr<store::DiskQuota> quota;  // of the directory; null: no limit
  uint64_t disk_free_bytes_min = 64 << 20;
  std::function<uint64_t()> now_nanos;
  base::EventLog* log = nullptr;      // required; must outlive the object
  ScratchUploads* scratch = nullptr;  // set: removes expired uploads
};

class Housekeeping {
 public:
  // All must outlive this object.
  Housekeeping(const Tenants* tenants, Room* room, base::Counters* counters,
               HousekeepingOptions options);
  ~Housekeeping();

  // Runs one round, as the thread does every few seconds. If a store fails, continues with the
  // others and returns the first error.
  absl::Status RunOnce();

 private:
  // Totals of all stores.
  struct Sum {
    uint64_t disk_bytes = 0;     // of the directory, including files being compacted
    uint64_t resting_bytes = 0;  // the part that remains when RocksDB is idle
    uint64_t newest_nanos = 0;
  };
  // Droppable hours, oldest first, and the bytes that each frees.
  using Hours = std::map<uint64_t, uint64_t>;

  void Work();
  bool IsPressed() const;
  absl::Status DropOld(uint64_t now, const Tenants::Named& tenant);
  void CountDropped(std::string_view reason, std::string_view tenant, uint64_t hours);
  absl::Status EnforceDiskLimit(uint64_t now);
  absl::Status DropBefore(uint64_t nanos);
  absl::StatusOr<Sum> SumUp();
  absl::StatusOr<Hours> DroppableHours(uint64_t end_nanos) const;
  void SetFull(const Sum& sum);

  const Tenants& tenants_;
  Room& room_;
  base::Counters& counters_;
  const HousekeepingOptions options_;
  base::Mutex round_mutex_;                     // held for a round
  std::atomic<uint64_t> written_at_round_ = 0;  // of the quota, at the last measurement
  std::atomic<bool> can_make_room_ = true;      // by dropping hours, as of the last round
  base::Mutex mutex_;
  base::CondVar wake_;
  bool stopping_ FLARE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// Disk space of a data directory, and the part of it used by tables and logs of the stores.
struct DiskUse {
  uint64_t bytes = 0;        // everything: telemetry, symbols, uploads, logs
  uint64_t store_bytes = 0;  // tables and write-ahead logs, including those about to be deleted
};

DiskUse MeasureDisk(const std::string& data_dir);

}  // namespace flarestack::server
