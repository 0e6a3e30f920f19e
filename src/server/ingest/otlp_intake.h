// SPDX-License-Identifier: Apache-2.0
//
// Writes OTLP data from any transport to the store of its tenant.
#pragma once

#include <chrono>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/counters.h"
#include "base/event_log.h"
#include "base/memory/byte_queue.h"
#include "model/signal.h"
#include "pipeline/receivers/otlp_receiver.h"
#include "server/ingest/ingest_ledger.h"
#include "server/ingest/store_sink.h"
#include "server/limits/room.h"
#include "server/limits/work_memory.h"
#include "server/tenants/tenants.h"

namespace flarestack::server {

class OtlpIntake {
 public:
  // All must outlive the intake.
  struct Parts {
    Tenants* tenants;
    const Room* room;
    base::Counters* counters;
    base::EventLog* log;
    IngestLedger* ledger;
    base::ByteQueue* work = nullptr;  // null: memory is not limited
  };
  OtlpIntake(const Parts& parts, pipeline::OtlpReceiverOptions options)
      : tenants_(*parts.tenants),
        room_(*parts.room),
        counters_(*parts.counters),
        log_(*parts.log),
        ledger_(*parts.ledger),
        work_(parts.work),
        options_(std::move(options)) {}

  struct Message {
    model::Signal signal;
    pipeline::Encoding encoding;
    std::string_view body;
    std::string_view peer;  // HOST:PORT
    // Memory reserved for the message. If it is too little, the intake waits for more until
    // `begin_by`. Null: no limit.
    base::ByteLease* lease = nullptr;
    std::chrono::steady_clock::time_point begin_by = std::chrono::steady_clock::time_point::max();
  };

  // Creates the tenant's store when its first valid item arrives. A rejected request creates no
  // store.
  pipeline::OtlpResponse Receive(const Caller& caller, const Message& message);

  // The same for profiles of this process, which need no decoding. `peer` identifies them in the
  // ledger.
  pipeline::OtlpResponse Receive(const Caller& caller, std::string_view peer, model::Batch* batch);

  // Estimated memory for processing a message of `bytes` bytes, including its body.
  uint64_t MemoryNeed(model::Signal signal, pipeline::Encoding encoding, uint64_t bytes) const {
    return memory_.NeedOf(signal, encoding, bytes);
  }

 private:
  pipeline::OtlpResponse ReceiveWithin(const Message& message, StoreSink* sink);

  // Finds the tenant's store for `receive`, and records the outcome in counters, ledger and log.
  pipeline::OtlpResponse Ingest(const Caller& caller, NotedRequest request,
                                absl::FunctionRef<pipeline::OtlpResponse(StoreSink*)> receive);

  Tenants& tenants_;
  const Room& room_;
  base::Counters& counters_;
  base::EventLog& log_;
  IngestLedger& ledger_;
  base::ByteQueue* const work_;
  WorkMemory memory_;
  const pipeline::OtlpReceiverOptions options_;
};

}  // namespace flarestack::server
