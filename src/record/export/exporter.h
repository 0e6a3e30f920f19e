// SPDX-License-Identifier: Apache-2.0
//
// Sends recorded profiles to an OTLP server, in order, from one thread. Requests that the server
// cannot accept now wait in a bounded spool and are retried indefinitely; requests it will never
// accept are dropped and counted.
//
//   Offer --> Spool (memory, then files) --> thread: Front, Try, Remove
//
// Follows the OTLP rules: 429, 502, 503, 504, the retryable gRPC codes and a server that does not
// respond are retried, no earlier than the server requested. Every other error is final, and so is
// a partial success. A request may arrive twice if its response is lost.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "absl/status/statusor.h"
#include "base/event_log.h"
#include "base/mutex.h"
#include "record/export/otlp_client.h"
#include "record/export/otlp_target.h"
#include "record/export/retry_delay.h"
#include "record/export/spool.h"

namespace flarestack::record::exporting {

// Completes an incomplete request just before it is sent. Returns nullopt to send it as it is.
// Called by the sending thread, again for each retry.
using Completer = std::function<std::optional<std::string>(std::string_view request)>;

struct ExporterOptions {
  OtlpTarget target;  // gRPC or HTTP with protobuf
  SpoolOptions spool;
  BackOffLimits back_off = {.first = std::chrono::seconds(1), .longest = std::chrono::seconds(60)};
  // Caps the delay that a server requests.
  std::chrono::milliseconds delay_max = std::chrono::hours(1);
  base::EventLog* log = nullptr;  // borrowed; null: no log
  Completer complete;             // null: requests are sent as they are
  // Waits. Returns false if there is no time left; null: waits until Stop().
  std::function<bool(std::chrono::milliseconds)> wait;
};

struct ExporterStats {
  uint64_t offered = 0;            // requests, like all counters without another unit
  uint64_t sent = 0;               // accepted by the server, in whole or in part
  uint64_t sent_bytes = 0;         // before compression
  uint64_t retries = 0;            // failed attempts that will be retried
  uint64_t rejected = 0;           // dropped because of a final error from the server
  uint64_t partial = 0;            // part of `sent`: accepted in part
  uint64_t rejected_profiles = 0;  // in `partial` requests
  std::string last_error;          // from the server or the connection; empty after a success
  Spool::Stats spool;              // waiting requests, and drops by cause
};

class Exporter {
 public:
  // Returns kInvalidArgument for malformed certificates and for http/json, which the spool cannot
  // distinguish; passes on errors of Spool::Open. Does not wait for the server.
  static absl::StatusOr<std::unique_ptr<Exporter>> Start(ExporterOptions options);

  // Stops immediately if Stop was not called.
  ~Exporter();
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  // Queues an ExportProfilesServiceRequest in protobuf. Never waits for the server or the disk.
  // Returns false if the request was dropped; this is counted.
  bool Offer(std::string request, Content content = Content::kFinal);

  // Sends as much as possible within `grace`, without waiting for an unreachable server. The rest
  // goes to the directory of the spool, or is dropped and counted. An attempt in progress is not
  // interrupted, so this may take longer by the target's timeout.
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
  std::unique_ptr<OtlpClient> client_;  // set before the thread starts
  std::unique_ptr<Spool> spool_;        // likewise

  mutable base::Mutex mutex_;
  base::CondVar changed_;
  // True at first, because files of an earlier process may exist.
  bool has_work_ FLARE_GUARDED_BY(mutex_) = true;
  std::optional<std::chrono::steady_clock::time_point> stop_at_ FLARE_GUARDED_BY(mutex_);
  ExporterStats stats_ FLARE_GUARDED_BY(mutex_);  // without `spool`
  std::thread thread_;
};

}  // namespace flarestack::record::exporting
