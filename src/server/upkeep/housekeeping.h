// SPDX-License-Identifier: Apache-2.0
//
// Keeps the stores within their retention and their disk limit. Drops what is older than the
// retention of its signal. Near the disk limit it drops the oldest hours of all tenants and
// signals, as few as will do; where that is not enough, new data is refused until there is room
// again.
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
  std::string directory;                    // whose file system must not become full
  store::SignalTimes retention;             // how long each signal is kept, ns; 0: for ever
  std::shared_ptr<store::DiskQuota> quota;  // of the directory; null: all there is
  uint64_t disk_free_bytes_min = 64 << 20;
  std::function<uint64_t()> now_nanos;
  base::EventLog* log = nullptr;      // must be set, and outlive the object
  ScratchUploads* scratch = nullptr;  // set: those that are over go
};

class Housekeeping {
 public:
  // All must outlive this object.
  Housekeeping(const Tenants* tenants, Room* room, base::Counters* counters,
               HousekeepingOptions options);
  ~Housekeeping();

  // One round, as the thread does it every few seconds. A store that fails does not keep the others
  // from their turn; the first failure is answered.
  absl::Status RunOnce();

 private:
  // All stores together.
  struct Sum {
    uint64_t disk_bytes = 0;     // of the directory, with what is being compacted
    uint64_t resting_bytes = 0;  // what stays of it when RocksDB has nothing to do
    uint64_t newest_nanos = 0;
  };
  // Hours that can go, oldest first, and what that gives back.
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

}  // namespace flarestack::server
