// SPDX-License-Identifier: Apache-2.0
//
// Brings recorded profiles to a server of OTLP, in order, from one thread. What the server cannot
// take now waits in a bounded spool and is tried again for as long as it takes; what it will never
// take is dropped and counted.
//
//   Offer --> Spool (memory, then files) --> thread: Front, Try, Remove
//
// By the rules of OTLP: 429, 502, 503, 504, the retryable codes of gRPC and a server that does not
// answer are tried again, not before the server said; every other error is final, and so is an
// answer that took a request in part. A request may arrive twice when its answer is lost.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "absl/status/statusor.h"
#include "base/event_log.h"
#include "record/export/otlp_client.h"
#include "record/export/otlp_target.h"
#include "record/export/retry_delay.h"
#include "record/export/spool.h"

namespace flarestack::record::exporting {

// Improves an incomplete request just before it is sent. Returns nothing to send it as it is.
// Called by the sending thread, again for each retry.
using Completer = std::function<std::optional<std::string>(std::string_view request)>;

struct ExporterOptions {
  OtlpTarget target;  // gRPC or HTTP with protobuf
  SpoolOptions spool;
  BackOffLimits back_off = {.first = std::chrono::seconds(1), .longest = std::chrono::seconds(60)};
  std::chrono::milliseconds delay_max = std::chrono::hours(1);  // a server that says more is cut
  base::EventLog* log = nullptr;                                // borrowed; null: nobody is told
  Completer complete;                                           // null: nothing is improved
  // Waits, and answers false when there is no time left for it; null: until Stop().
  std::function<bool(std::chrono::milliseconds)> wait;
};

struct ExporterStats {
  uint64_t offered = 0;            // requests, as all that has no other unit
  uint64_t sent = 0;               // that the server took, in whole or in part
  uint64_t sent_bytes = 0;         // before compression
  uint64_t retries = 0;            // tries that failed and did not end it
  uint64_t refused = 0;            // dropped, because the server's answer was final
  uint64_t partial = 0;            // of `sent`: taken in part
  uint64_t rejected_profiles = 0;  // in those
  std::string last_error;          // of the server or the way to it; empty while all is well
  Spool::Stats spool;              // what waits, and what was dropped by cause
};

class Exporter {
 public:
  // kInvalidArgument for certificates that are none and for http/json, which the spool does not
  // keep apart; errors of Spool::Open as they are. Does not wait for the server.
  static absl::StatusOr<std::unique_ptr<Exporter>> Start(ExporterOptions options);

  // Stops at once, if that was not done.
  ~Exporter();
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  // An ExportProfilesServiceRequest in protobuf. Never waits, neither for the server nor for the
  // disk. False when it was not taken; that is counted.
  bool Offer(std::string request, Content content = Content::kFinal);

  // Sends what it can within `grace`, without waiting for a server that is not there; the rest goes
  // to the directory of the spool, or is dropped and counted. A try under way is not cut, so this
  // may take the target's timeout longer.
  void Stop(std::chrono::milliseconds grace);

  ExporterStats stats() const;

 private:
  explicit Exporter(ExporterOptions options);
  void Run();
  void SendWhileRunning();
  void SendTheRest();
  std::shared_ptr<const std::string> Complete(const Spool::Entry& entry) const;
  bool IsRetryable(const OtlpAttempt& attempt) const;
  std::chrono::milliseconds NoteRetry(const OtlpAttempt& attempt, int failures);
  void Acknowledge(const Spool::Entry& entry, const OtlpAttempt& attempt);
  bool Wait(std::chrono::milliseconds delay);
  bool IsStopping() const;

  const ExporterOptions options_;
  std::unique_ptr<OtlpClient> client_;
  std::unique_ptr<Spool> spool_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool has_work_ = true;  // files of an earlier process; all below guarded by mutex_
  std::optional<std::chrono::steady_clock::time_point> stop_at_;
  ExporterStats stats_;  // without `spool`
  std::thread thread_;
};

}  // namespace flarestack::record::exporting
