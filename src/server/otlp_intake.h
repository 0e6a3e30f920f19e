// SPDX-License-Identifier: Apache-2.0
//
// OTLP of any transport, brought to the store of whoever sent it.
#pragma once

#include <string_view>

#include "base/counters.h"
#include "base/event_log.h"
#include "pipeline/receivers/otlp_receiver.h"
#include "server/ingest_ledger.h"
#include "server/room.h"
#include "server/tenants.h"

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
  };
  OtlpIntake(const Parts& parts, pipeline::OtlpReceiverOptions options)
      : tenants_(*parts.tenants),
        room_(*parts.room),
        counters_(*parts.counters),
        log_(*parts.log),
        ledger_(*parts.ledger),
        options_(std::move(options)) {}

  struct Message {
    pipeline::Signal signal;
    pipeline::Encoding encoding;
    std::string_view body;
    std::string_view peer;  // HOST:PORT
  };

  // The store of a tenant is made with its first item that can be kept, and not by a request that
  // is refused.
  pipeline::OtlpAnswer Receive(const Caller& caller, const Message& message);

 private:
  Tenants& tenants_;
  const Room& room_;
  base::Counters& counters_;
  base::EventLog& log_;
  IngestLedger& ledger_;
  const pipeline::OtlpReceiverOptions options_;
};

}  // namespace flarestack::server
