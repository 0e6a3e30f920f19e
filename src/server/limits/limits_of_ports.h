// SPDX-License-Identifier: Apache-2.0
//
// Translates the limits of the server into the options of its components.
#pragma once

#include <string>

#include "base/counters.h"
#include "net/grpc/grpc_server.h"
#include "net/http/http_server.h"
#include "net/rejection.h"
#include "pipeline/receivers/otlp_receiver.h"
#include "server/limits/limits.h"

namespace flarestack::server {

net::HttpLimits HttpLimits(const Limits& limits);

// gRPC's own buffers are capped at `memory_bytes_max`, but at least 128 MiB: beyond the cap gRPC
// fails calls with a status that senders treat as permanent.
net::GrpcLimits GrpcLimits(const Limits& limits, uint64_t memory_bytes_max);

pipeline::OtlpReceiverOptions ReceiverOptions(const Limits& limits);

// Counts flarestack_requests_refused_total, by port, status and reason. The counters must outlive
// the hook.
net::RejectionHook CountRejections(std::string port, base::Counters* counters);

}  // namespace flarestack::server
