// SPDX-License-Identifier: Apache-2.0
//
// Keeps the stores within their age and their place on the disk: what is older than the retention
// of its signal goes, and when all stores together outgrow their limit the oldest hours go first,
// whoever they belong to. Where that is not enough, new data is refused until there is room again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/counters.h"
#include "base/event_log.h"
#include "server/room.h"
#include "server/scratch_uploads.h"
#include "server/tenants.h"
#include "store/store.h"

namespace flarestack::server {

struct HousekeepingOptions {
  std::string directory;         // whose file system must not become full
  store::SignalTimes retention;  // how long each signal is kept, ns; 0: for ever
  uint64_t disk_bytes_max = 0;   // of all stores; 0: all there is
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
  // Of all stores together, and the one that holds the oldest hour.
  struct Sum {
    uint64_t disk_bytes = 0;
    uint64_t oldest_nanos = 0;
    uint64_t newest_nanos = 0;
    Tenants::Named oldest;
  };

  void Work();
  absl::Status DropOld(uint64_t now, const Tenants::Named& tenant);
  void CountDropped(std::string_view reason, std::string_view tenant, uint64_t hours);
  absl::Status MakeRoom(uint64_t now);
  absl::StatusOr<Sum> SumUp() const;
  void SetFull(const Sum& sum);

  const Tenants& tenants_;
  Room& room_;
  base::Counters& counters_;
  const HousekeepingOptions options_;
  std::mutex round_mutex_;  // held for a round
  std::mutex mutex_;        // of stopping_
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace flarestack::server
