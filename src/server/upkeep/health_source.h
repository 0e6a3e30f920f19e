// SPDX-License-Identifier: Apache-2.0
//
// Collects health figures from the components of the server. api/health.h interprets them for
// people.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/counters.h"
#include "base/memory/byte_budget.h"
#include "server/ingest/ingest_ledger.h"
#include "server/limits/room.h"
#include "server/tenants/scratch_uploads.h"
#include "server/tenants/tenants.h"
#include "store/store.h"

namespace flarestack::server {

// Data that was not stored, or not as it was sent. Counts the whole server, as /metrics does.
struct Drop {
  std::string what;    // "items", "requests", "hours", "attributes"
  std::string signal;  // empty: not specific to a signal
  std::string port;
  std::string reason;
  uint64_t count = 0;
};

struct HealthFacts {
  uint64_t now_nanos = 0;
  uint64_t started_nanos = 0;
  IngestReport ingest;
  std::vector<Drop> drops;

  absl::Status store_status;  // error if `store` has no figures
  store::StoreStats store;
  bool is_full = false;  // rejects data because the disk is full
  uint64_t disk_bytes_max = 0;
  uint64_t series_max = 0;
  uint64_t reopened = 0;
  uint64_t reopen_failed = 0;
  uint64_t housekeeping_failed = 0;

  ScratchUploads::Usage scratch;
  uint64_t resident_bytes = 0;
  uint64_t memory_bytes_max = 0;
  uint64_t requests_bytes = 0;
  uint64_t requests_bytes_high = 0;
  uint64_t requests_bytes_max = 0;

  bool has_tls = false;
  uint16_t otlp_grpc_port = 0;  // 0: not listening yet
  uint16_t otlp_http_port = 0;
};

class HealthSource {
 public:
  // All except `scratch` are required, and all must outlive the object.
  struct Parts {
    Tenants* tenants = nullptr;
    const Room* room = nullptr;
    const base::Counters* counters = nullptr;
    const base::ByteBudget* budget = nullptr;
    const IngestLedger* ledger = nullptr;
    const ScratchUploads* scratch = nullptr;
  };
  struct Limits {
    uint64_t disk_bytes_max = 0;
    uint64_t memory_bytes_max = 0;
    uint64_t series_max = 0;
    bool has_tls = false;
  };
  HealthSource(const Parts& parts, const Limits& limits, uint64_t started_nanos)
      : parts_(parts), limits_(limits), started_nanos_(started_nanos) {}

  // The OTLP ports open after requests may already read this object.
  void SetOtlpPorts(uint16_t grpc, uint16_t http) {
    otlp_grpc_port_ = grpc;
    otlp_http_port_ = http;
  }

  HealthFacts FactsFor(const std::string& tenant, uint64_t now_nanos) const;

 private:
  std::vector<Drop> Drops() const;
  uint64_t Count(std::string_view name, std::string_view label, std::string_view value) const;

  const Parts parts_;
  const Limits limits_;
  const uint64_t started_nanos_;
  std::atomic<uint16_t> otlp_grpc_port_ = 0;
  std::atomic<uint16_t> otlp_http_port_ = 0;
};

}  // namespace flarestack::server
