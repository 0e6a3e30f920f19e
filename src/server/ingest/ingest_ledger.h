// SPDX-License-Identifier: Apache-2.0
//
// Counts received data since the start of the process, by tenant, signal and sender. It answers
// "why do I see no data?".
//
// Thread-safe. Tables are bounded: a full table evicts the sender that was silent for the longest.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "model/signal.h"
#include "store/store.h"

namespace flarestack::server {

struct LedgerLimits {
  size_t tenants_max = 1000;  // further tenants are not recorded
  size_t senders_max = 200;   // per tenant
  size_t text_bytes_max = 200;
};

// One request after it was read.
struct NotedRequest {
  std::string_view tenant;
  std::string_view peer;  // HOST:PORT
  model::Signal signal = model::Signal::kProfiles;
  uint64_t time_nanos = 0;
  uint64_t bytes = 0;  // decompressed
  uint64_t items = 0;  // samples, spans, log records or data points stored
  uint64_t rejected = 0;
  std::vector<std::string> services;  // of its resources, deduplicated
  std::string_view error;             // empty: accepted
};

struct SignalTotals {
  uint64_t requests = 0;
  uint64_t failed = 0;  // included in `requests`
  uint64_t items = 0;
  uint64_t rejected = 0;
  uint64_t bytes = 0;
  uint64_t last_nanos = 0;  // last time an item was stored; 0: never
};

struct SenderTotals {
  std::string host;
  std::string service;  // empty if a request has none or could not be read
  uint64_t requests = 0;
  uint64_t failed = 0;
  uint64_t bytes = 0;  // of all requests with data of the service
  uint64_t last_nanos = 0;
  std::string last_error;
};

struct IngestReport {
  std::array<SignalTotals, model::kSignals.size()> signals;
  std::vector<SenderTotals> senders;  // most recently seen first
  uint64_t senders_forgotten = 0;

  const SignalTotals& of(model::Signal signal) const {
    return signals[static_cast<size_t>(signal)];
  }
};

class IngestLedger {
 public:
  explicit IngestLedger(LedgerLimits limits = {}) : limits_(limits) {}

  void Note(const NotedRequest& request);
  IngestReport ReportFor(std::string_view tenant) const;

 private:
  struct Book {
    std::array<SignalTotals, model::kSignals.size()> signals;
    std::map<std::pair<std::string, std::string>, SenderTotals> senders;  // key: host and service
    uint64_t senders_forgotten = 0;
  };
  void NoteSender(const NotedRequest& request, std::string_view service, Book* book) const
      FLARE_REQUIRES(mutex_);

  const LedgerLimits limits_;
  mutable base::Mutex mutex_;
  std::map<std::string, Book, std::less<>> books_ FLARE_GUARDED_BY(mutex_);
};

}  // namespace flarestack::server
